//! Tasks in pools: priorities, retries, shards, over one bursar for each shard.

pub mod core;

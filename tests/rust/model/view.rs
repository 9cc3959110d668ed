//! Everything that can be seen of a ledger, with claims by number.

use bursar::ledger::{Limit, ResourceId, TicketStatus};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct View {
    pub(crate) now: u64,
    pub(crate) waiting: u32,
    pub(crate) leases: u32,
    pub(crate) idle: bool,
    pub(crate) closed: bool,
    /// By number.
    pub(crate) resources: Vec<ResourceView>,
    pub(crate) families: Vec<FamilyView>,
    /// By arrival.
    pub(crate) claims: Vec<ClaimView>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FamilyView {
    pub(crate) name: String,
    pub(crate) limit: Limit,
    pub(crate) max_keys: u32,
    pub(crate) keys: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ResourceView {
    pub(crate) id: ResourceId,
    pub(crate) name: String,
    pub(crate) limit: Limit,
    pub(crate) available: u64,
    pub(crate) held: u64,
    pub(crate) debt: u64,
    pub(crate) paused_until: Option<u64>,
    pub(crate) waiting: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClaimView {
    pub(crate) number: u64,
    pub(crate) status: TicketStatus,
    pub(crate) demand: Vec<(ResourceId, u64)>,
    pub(crate) priority: i32,
    pub(crate) bypassed: u32,
    pub(crate) barrier: bool,
    pub(crate) deadline: Option<u64>,
    pub(crate) owner: Option<u64>,
    pub(crate) nested: bool,
    /// Waiting claims only.
    pub(crate) position: Option<usize>,
    pub(crate) shortage: Option<Vec<(ResourceId, u64)>>,
}

impl View {
    /// What differs, for a failure's report; empty if nothing does.
    pub(crate) fn differences(&self, other: &View) -> String {
        let lines = |view: &View| {
            let mut bare = view.clone();
            let resources = std::mem::take(&mut bare.resources);
            let claims = std::mem::take(&mut bare.claims);
            let mut lines = vec![format!("{bare:?}")];
            lines.extend(resources.iter().map(|resource| format!("{resource:?}")));
            lines.extend(claims.iter().map(|claim| format!("{claim:?}")));
            lines
        };
        let (left, right) = (lines(self), lines(other));
        let only = |sign: &str, these: &[String], those: &[String]| {
            let only = these.iter().filter(|line| !those.contains(line));
            only.fold(String::new(), |text, line| text + "\n  " + sign + " " + line)
        };
        only("-", &right, &left) + &only("+", &left, &right)
    }
}

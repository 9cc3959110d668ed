//! The ledger and the reference side by side.

use std::collections::HashMap;

use bursar::ledger::{Policy, ResourceId};
use proptest::prelude::{prop_assert, prop_assert_eq};
use proptest::test_runner::TestCaseError;

use super::calls::{Answer, Call, Happening, NEVER};
use super::invariants::{self, Lives};
use super::reference::{Reference, State};
use super::subject::Subject;
use super::view::{ClaimView, View};
use super::watchdog;
use super::windows::Windows;

type Checked = Result<(), TestCaseError>;

/// So many answers of `next_wakeup` in a row may be early; each must be later than the one before.
const EARLY: usize = 16;

pub(crate) struct Pair {
    policy: Policy,
    pub(crate) subject: Subject,
    pub(crate) reference: Reference,
    lives: Lives,
    windows: Windows,
    demands: HashMap<u64, Vec<(ResourceId, u64)>>,
    /// What was to be seen after the last call.
    seen: View,
    /// Every call with its answer and its events, for a failure's report.
    pub(crate) transcript: Vec<String>,
}

impl Pair {
    pub(crate) fn new(policy: Policy) -> Self {
        let subject = Subject::new(policy);
        let seen = subject.view();
        Pair {
            policy,
            subject,
            reference: Reference::new(policy),
            lives: Lives::default(),
            windows: Windows::default(),
            demands: HashMap::new(),
            seen,
            transcript: Vec::new(),
        }
    }

    /// Plays a call to both and compares everything.
    pub(crate) fn play(&mut self, call: &Call) -> Result<Answer, TestCaseError> {
        self.transcript.push(format!("{call:?}"));
        let settled = self.settled_by(call);
        if matches!(call, Call::Advance(_)) {
            watchdog::begin(&self.transcript, &format!("{:?}", self.policy));
        }
        let split = self.split(call);
        let answer = self.subject.call(call);
        watchdog::end();
        let expected = self.reference.call(call, &answer);
        let happenings = self.subject.take_events();
        self.note(&format!(" -> {answer:?} {happenings:?}"));
        prop_assert_eq!(&answer, &expected, "answer (left: ledger, right: reference)");
        let events = self.reference.take_events();
        let told: Vec<Happening> = events.iter().map(|event| event.1).collect();
        prop_assert_eq!(&happenings, &told, "events (left: ledger, right: reference)");

        let view = self.subject.view();
        let expected = self.reference.view();
        if view != expected {
            let differences = view.differences(&expected);
            return Err(TestCaseError::fail(format!("state (- reference, + ledger){differences}")));
        }
        if answer.is_refusal() && view != self.seen {
            let differences = view.differences(&self.seen);
            return Err(TestCaseError::fail(format!("a refused call changed{differences}")));
        }
        if let Some(split) = split {
            prop_assert_eq!(&split, &(happenings, view.clone()), "one advance is as good as two");
        }
        self.follow(call, &answer, &events, &settled)?;
        invariants::check(self.policy, &view)?;
        self.lives.check(&view)?;
        self.seen = view;
        self.check_wakeup()?;
        Ok(answer)
    }

    fn note(&mut self, more: &str) {
        self.transcript.last_mut().expect("a call is being played").push_str(more);
    }

    /// Advancing in two steps, on a copy, by way of a snapshot.
    fn split(&self, call: &Call) -> Option<(Vec<Happening>, View)> {
        let &Call::Advance(to) = call else { return None };
        let now = self.reference.now();
        let mut copy = self.subject.copy();
        copy.call(&Call::Advance(now + to.saturating_sub(now) / 3));
        copy.next_wakeup();
        // With events that nobody has polled yet.
        copy.restore();
        copy.call(call);
        Some((copy.take_events(), copy.view()))
    }

    /// What a settlement would take beyond the reservation.
    fn settled_by(&self, call: &Call) -> Vec<(ResourceId, i128)> {
        let Call::SettleUse(number, used) = call else { return Vec::new() };
        let reserved = self.reference.demand(*number).unwrap_or(&[]);
        let more = used.iter().filter_map(|&(id, used)| {
            let &(_, reserved) = reserved.iter().find(|pair| pair.0 == id)?;
            Some((id, i128::from(used) - i128::from(reserved)))
        });
        more.collect()
    }

    /// Keeps the books of tickets and of windows.
    fn follow(
        &mut self,
        call: &Call,
        answer: &Answer,
        events: &[(u64, Happening)],
        settled: &[(ResourceId, i128)],
    ) -> Checked {
        let now = self.reference.now();
        self.lives.answered(answer)?;
        match (call, answer) {
            (Call::Claim(wish) | Call::TryClaim(wish), Answer::Granted(n) | Answer::Waiting(n)) => {
                self.demands.insert(*n, wish.demand.clone());
            }
            (Call::Release(number), Answer::Done)
            | (Call::Cancel(number), Answer::Cancelled(_)) => {
                self.lives.ended(*number)?;
            }
            (Call::CancelAll(numbers), _) => {
                let alive = self.seen.claims.iter().map(|claim| claim.number);
                for number in alive.filter(|number| numbers.contains(number)) {
                    self.lives.ended(number)?;
                }
            }
            (Call::Define(_, plan), Answer::Defined(id))
            | (Call::Resize(id, plan), Answer::Done) => self.windows.begin(*id, *plan),
            (Call::Remove(id), Answer::Done) => self.windows.end(*id),
            (Call::Member(name, _), Answer::Member(id, forgotten)) => {
                self.windows.forget(forgotten);
                let (_, plan) = self.reference.named(*id).expect("it was found");
                self.windows.member(*id, name, plan);
            }
            (Call::ResizeFamily(name, plan), Answer::Done) => {
                self.windows.forget_names();
                for id in self.reference.ids_of_family(name) {
                    self.windows.begin(id, *plan);
                }
            }
            (Call::RemoveFamily(_), Answer::Done) => self.windows.forget_names(),
            (Call::SetLevel(id, _), Answer::Done) => self.windows.restart(*id),
            (Call::SettleUse(..), Answer::Done) => {
                for &(id, more) in settled {
                    self.windows.settled(now, id, more);
                }
            }
            _ => {}
        }
        if let Answer::Granted(number) = *answer {
            self.took(now, number)?;
        }
        for &(at, happening) in events {
            self.lives.happened(happening)?;
            if let Happening::Granted(number) = happening {
                self.took(at, number)?;
            }
        }
        Ok(())
    }

    fn took(&mut self, at: u64, number: u64) -> Checked {
        for &(id, units) in &self.demands[&number] {
            self.windows.granted(at, id, units)?;
        }
        Ok(())
    }

    /// The next wake-up is never late, and an early one does nothing but lead to a later one. Asked of
    /// a copy: the ledger itself goes on with whatever it remembers.
    fn check_wakeup(&self) -> Checked {
        // What fell due before it was told is due now.
        let now = self.reference.now();
        let truth = self.reference.next_due().max(now);
        let mut copy = self.subject.copy();
        let mut wakeup = copy.next_wakeup().max(now);
        if self.reference.numbers(State::Waiting).is_empty() {
            prop_assert_eq!(wakeup, truth, "a wake-up for nobody");
        }
        for _ in 0..EARLY {
            prop_assert!(wakeup <= truth, "next_wakeup says {wakeup}, something is due at {truth}");
            if wakeup == truth {
                return Ok(());
            }
            copy.call(&Call::Advance(wakeup));
            prop_assert_eq!(copy.take_events(), Vec::new(), "at an early wake-up");
            let (now, before) = (copy.view().claims, &self.seen.claims);
            prop_assert_eq!(now.len(), before.len(), "at an early wake-up");
            for (now, before) in now.iter().zip(before) {
                // Only what it is short of may shrink.
                let shortage = before.shortage.clone();
                prop_assert_eq!(&ClaimView { shortage, ..now.clone() }, before);
            }
            let next = copy.next_wakeup();
            prop_assert!(next > wakeup, "next_wakeup stays at {wakeup}");
            wakeup = next;
        }
        prop_assert_eq!(wakeup, truth, "next_wakeup was early {} times in a row", EARLY);
        Ok(())
    }

    /// Ends everything; then everything must be back.
    pub(crate) fn finish(&mut self) -> Checked {
        for state in [State::Woken, State::Waiting, State::Granted] {
            while let Some(&number) = self.reference.numbers(state).first() {
                let last = state == State::Granted;
                self.play(&if last { Call::Release(number) } else { Call::Cancel(number) })?;
            }
        }
        prop_assert!(self.seen.idle);
        prop_assert_eq!(self.subject.next_wakeup(), NEVER);
        self.play(&Call::Advance(NEVER / 2))?;
        for resource in self.seen.resources.clone() {
            prop_assert_eq!(resource.held, 0);
            let slow = resource.available < resource.limit.capacity();
            if slow && resource.paused_until.is_some() {
                self.play(&Call::Pause(resource.id, 0))?;
            }
        }
        for resource in &self.seen.resources {
            let back = resource.available == resource.limit.capacity();
            let bucket = matches!(resource.limit, bursar::ledger::Limit::TokenBucket { .. });
            prop_assert!(back || bucket, "{resource:?} is not all back");
        }
        Ok(())
    }
}

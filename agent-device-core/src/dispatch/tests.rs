use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::{Error, ErrorCode};

/// What becomes of one send, at which depth of nested requests it happens, and whether that request ends in a panic.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Landed,
    Refused,
    Dropped,
}

fn fates() -> impl Strategy<Value = Vec<(Fate, usize)>> {
    let fate = prop_oneof![Just(Fate::Landed), Just(Fate::Refused), Just(Fate::Dropped)];
    proptest::collection::vec((fate, 0_usize..4), 0..12)
}

fn send(ledger: &Arc<Ledger>, fate: Fate, depth: usize) {
    if depth > 0 {
        return send(&ledger.nest(), fate, depth - 1);
    }
    let send = ledger.open_send();
    match fate {
        Fate::Landed => send.landed(),
        Fate::Refused => send.refused(rows::core::REFUSAL_COVERED),
        Fate::Dropped => {}
    }
}

proptest! {
    #[test]
    fn a_request_that_sent_anything_never_says_no(fates in fates()) {
        let root: Arc<Ledger> = Arc::default();
        for (fate, depth) in &fates {
            send(&root, *fate, *depth);
        }
        let landed = fates.iter().filter(|(fate, _)| matches!(fate, Fate::Landed)).count();
        let clean = fates.iter().all(|(fate, _)| matches!(fate, Fate::Refused));
        prop_assert_eq!(root.steps() as usize, landed);
        for effect in [Effect::Mutates, Effect::Observes] {
            let proven = Error::refused(rows::core::REFUSAL_COVERED, ErrorCode::CommandFailed, "covered");
            let error = disclose(effect, &root, proven);
            prop_assert_eq!(error.dispatched().is_no(), clean);
            prop_assert_eq!(error.dispatched_steps() as usize, landed);
            let again = disclose(effect, &root, error);
            prop_assert_eq!(again.dispatched_steps() as usize, landed, "applying the seam twice changes nothing");
        }
    }
}

#[test]
fn a_panic_merges_what_was_sent() {
    let root: Arc<Ledger> = Arc::default();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let nested = root.nest();
        nested.open_send().landed();
        let _open = nested.open_send();
        panic!("on the way");
    }));
    assert!(result.is_err());
    assert_eq!(root.steps(), 1);
    assert!(!root.is_empty());
}

#[test]
fn the_seam_fills_what_nobody_classified() {
    let unclassified = || Error::new(ErrorCode::CommandFailed, "lost");
    let empty = Ledger::default();
    let read = disclose(Effect::Observes, &empty, unclassified());
    assert_eq!(read.row(), Some(rows::core::READ_ONLY.row()));
    let claimed = unclassified().uncertain(rows::core::UNCLASSIFIED);
    assert!(
        disclose(Effect::Observes, &empty, claimed)
            .dispatched()
            .is_no(),
        "a read outranks its producer"
    );
    let proven = unclassified().proven(rows::core::REFUSAL_PREDICATE);
    assert_eq!(
        disclose(Effect::Observes, &empty, proven).row(),
        Some(rows::core::REFUSAL_PREDICATE.row()),
        "a producer knows better why"
    );
    let mutation = disclose(Effect::Mutates, &empty, unclassified());
    assert_eq!(mutation.row(), Some(rows::core::UNCLASSIFIED.row()));
    let proven = Error::invalid("x", "bad");
    assert_eq!(
        disclose(Effect::Mutates, &empty, proven).row(),
        Some(rows::core::REFUSAL_ARGUMENTS.row())
    );
}

#[test]
fn steps_of_a_producer_and_of_the_ledger_add_up_once() {
    struct Series;
    impl DispatchDisclosure for Series {
        fn verdict(&self) -> Option<Verdict> {
            Some(rows::core::REFUSAL_COVERED.into())
        }
        fn steps(&self) -> u32 {
            20
        }
    }
    let error =
        Error::new(ErrorCode::CommandFailed, "the second chunk was refused").disclosed_by(&Series);
    assert_eq!(
        error.dispatched(),
        Dispatched::Unknown,
        "a later refusal of a series is no proof"
    );
    let root: Arc<Ledger> = Arc::default();
    root.open_send().landed();
    let error = disclose(Effect::Mutates, &root, error);
    assert_eq!(error.dispatched_steps(), 21);
}

#[test]
fn a_send_counts_for_the_whole_request_from_the_moment_it_is_opened() {
    let root: Arc<Ledger> = Arc::default();
    let nested = root.nest();
    let send = nested.open_send();
    assert!(
        !root.is_empty() && !nested.is_empty(),
        "it may be on its way"
    );
    assert_eq!(root.steps(), 0);
    send.refused(rows::core::REFUSAL_COVERED);
    assert!(root.is_empty() && nested.is_empty());
    std::mem::forget(nested.open_send());
    assert!(
        !root.is_empty(),
        "one that nobody closes is never forgotten"
    );
}

#[test]
fn nobody_denies_afterwards_what_a_ledger_holds() {
    let ledger: Arc<Ledger> = Arc::default();
    ledger.open_send().uncertain();
    let lost = Error::new(ErrorCode::CommandFailed, "lost");
    let settled = disclose(Effect::Mutates, &ledger, lost);
    let refused = Error::invalid("text", "no");
    for denied in [
        settled.proven(rows::core::READ_ONLY),
        disclose(Effect::Mutates, &ledger, refused).disclosed_by(&Error::invalid("text", "no")),
    ] {
        assert!(!denied.dispatched().is_no(), "{denied:?}");
    }
}

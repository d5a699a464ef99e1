//! Work that waits for the disk, beside the tasks of the runtime.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll};
use tokio::runtime::{Handle, RuntimeFlavor};

/// The work panicked.
#[derive(Debug, thiserror::Error)]
#[error("do the work: it panicked")]
pub struct Panicked;

/// Does `work` without holding up other tasks. A worker of a runtime that has several does it itself while its tasks
/// go to another thread: a handful of lookups takes less time than to wake a thread and be woken by it. A runtime with
/// one thread, or one that is built otherwise, hands the work to another.
///
/// # Errors
/// When it panics.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Panicked> {
    if Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread {
        catch_unwind(AssertUnwindSafe(|| tokio::task::block_in_place(work))).map_err(|_| Panicked)
    } else {
        tokio::task::spawn_blocking(work).await.map_err(|_| Panicked)
    }
}

/// Waits where it is called, and holds up no other task with it: a worker of a runtime that has several hands them to
/// another thread first.
pub fn in_place<T>(wait: impl FnOnce() -> T) -> T {
    let worker =
        Handle::try_current().is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread);
    if worker { tokio::task::block_in_place(wait) } else { wait() }
}

/// Takes `work` to its end in the task that awaits it.
///
/// # Errors
/// When it panics.
pub async fn unpanicked<T>(work: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut work = pin!(work);
    let step =
        |context: &mut Context<'_>| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(state) => state.map(Ok),
            Err(_) => Poll::Ready(Err(Panicked)),
        };
    poll_fn(step).await
}

#[cfg(test)]
mod tests {
    use super::{blocking, in_place, unpanicked};
    use tokio::sync::oneshot;

    /// R6: a panic at whatever step is an error, and the task that awaited it goes on.
    #[tokio::test]
    async fn a_panic_at_any_step_is_an_error() {
        for steps in [0, 1, 3] {
            for panics in [false, true] {
                let work = async {
                    for _ in 0..steps {
                        tokio::task::yield_now().await;
                    }
                    assert!(!panics, "as asked");
                    steps
                };
                assert_eq!(unpanicked(work).await.ok(), (!panics).then_some(steps));
            }
        }
    }

    /// On each kind of runtime, for as long as the work takes, another task gets its turn; a panic is an error.
    #[test]
    fn others_go_on_meanwhile_and_a_panic_is_an_error() {
        let mut single = tokio::runtime::Builder::new_current_thread();
        let mut one_worker = tokio::runtime::Builder::new_multi_thread();
        one_worker.worker_threads(1);
        for builder in [&mut single, &mut one_worker] {
            let runtime = builder.build().unwrap();
            let done = runtime.spawn(async {
                let (other, waits) = oneshot::channel();
                let (tell, told) = std::sync::mpsc::channel();
                tokio::spawn(async move {
                    waits.await.unwrap();
                    tell.send(7).unwrap();
                });
                other.send(()).unwrap();
                let said = blocking(move || told.recv().unwrap()).await;
                let panicked = blocking(|| panic!("as asked")).await;
                (said.unwrap(), panicked.is_err())
            });
            assert_eq!(runtime.block_on(done).unwrap(), (7, true));
        }
    }

    /// With one worker, another task gets its turn while one waits; elsewhere it waits all the same.
    #[test]
    fn who_waits_in_place_holds_nobody_up() {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).build().unwrap();
        let told = runtime.spawn(async {
            let (tell, told) = std::sync::mpsc::channel();
            tokio::spawn(async move { tell.send(7).unwrap() });
            in_place(move || told.recv().unwrap())
        });
        assert_eq!(runtime.block_on(told).unwrap(), 7);
        let single = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!((single.block_on(async { in_place(|| 7) }), in_place(|| 7)), (7, 7));
    }
}

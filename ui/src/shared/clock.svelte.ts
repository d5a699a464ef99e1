/** The current time, ticking only while something on screen counts it. */
import { createSubscriber } from "svelte/reactivity";

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1_000);
  return () => clearInterval(timer);
});

/** Now, in Unix milliseconds; redraws each second where it is read. */
export function tickingNow(): number {
  subscribe();
  return Date.now();
}

/** The time that the scripted world is shown at. */
/** Half past two in the afternoon of the day the tests run, so that days and clocks are the same each time. */
export function fixedNow(): number {
  return new Date().setHours(14, 32, 11, 0);
}

export const MINUTE = 60_000;

export const DAY = 24 * 60 * MINUTE;

/** Keys that belong to an input method. */

/** True while text is being composed, the key that ends it included: WebKit sends that one, as 229, after the composition's end. */
export function composing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Where the focus goes when what had it is taken away. Left alone, it would go to nobody. */

const FOCUSABLE = ":is(button, input, select, textarea, summary):not(:disabled, [tabindex='-1'])";

/** Gives a lost focus to what stood beside it, in the conversation and where nothing did to `home`. Returns how to end that. */
export function keepFocus(home: () => HTMLElement | null): () => void {
  let focused: Element | null = null;
  /** From the focused element outwards: what it stood in, and what stood before it there. */
  let trail: [parent: Element, before: Element | null][] = [];

  function remember(event: FocusEvent): void {
    focused = event.target instanceof Element ? event.target : null;
    trail = [];
    for (let at = focused; at?.parentElement; at = at.parentElement) trail.push([at.parentElement, at.previousElementSibling]);
  }

  /** What is left while it stays has been given up. What goes says so too in some engines, and is then gone once the script has ended. */
  function left({ target }: FocusEvent): void {
    queueMicrotask(() => {
      // The focus of a window in the background waits in it; that of a disabled button was taken.
      if (target !== focused || document.activeElement === target || focused?.matches(":disabled")) return;
      if (focused?.isConnected) focused = null;
    });
  }

  function restore(): void {
    if (focused === null || focused.isConnected) return;
    focused = null;
    // Somebody took it already.
    if (document.activeElement !== document.body) return;
    const last = home();
    for (const [parent, before] of trail) {
      if (!parent.isConnected) continue;
      if (parent.contains(last) || (parent.closest("main") !== null && parent.closest("article, li, ul") === null)) break;
      const beside = before?.isConnected ? [...before.querySelectorAll<HTMLElement>(FOCUSABLE), before as HTMLElement].reverse() : [];
      for (const candidate of [...beside, ...parent.querySelectorAll<HTMLElement>(FOCUSABLE)]) {
        if (candidate.matches(FOCUSABLE)) candidate.focus({ preventScroll: true });
        if (document.activeElement === candidate) return;
      }
    }
    last?.focus({ preventScroll: true });
  }

  const observer = new MutationObserver(restore);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener("focusin", remember);
  // Before what hears it at the element itself, which may take the element away.
  document.addEventListener("blur", left, true);
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", remember);
    document.removeEventListener("blur", left, true);
  };
}

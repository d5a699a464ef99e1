/** Waiting for what is on its way to the screen. */

/** Resolves once the next frame is drawn; at once where the window is hidden, which draws none. */
export function frameDrawn(): Promise<void> {
  return new Promise((resolve) => {
    if (document.hidden) resolve();
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}

/** Adds what happy-dom lacks as a browser, and what React needs of it. Imported for its effect, once for each document. */

// React renders below `act` only.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

// React reports an error that an event listener throws to the window. It fails the test run.
window.addEventListener('error', ({ error }) => {
  queueMicrotask(() => {
    throw error;
  });
});

// happy-dom follows links and activates the control of a label before listeners further up could prevent the click.
HTMLAnchorElement.prototype.dispatchEvent = HTMLElement.prototype.dispatchEvent;
HTMLLabelElement.prototype.dispatchEvent = HTMLElement.prototype.dispatchEvent;
window.addEventListener('click', ({ target, defaultPrevented }) => {
  if (defaultPrevented || !(target instanceof Element)) return;
  const inside = target.closest('label, button, a[href], input, textarea, select');
  if (inside instanceof HTMLLabelElement) inside.control?.click();
});

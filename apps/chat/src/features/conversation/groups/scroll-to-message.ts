/** Frames in which the message is brought into view again, while messages around it are rendered and change their height. */
const FRAMES = 20;

/** Scrolls to the message at `index` of the conversation in `box`, and renders its group if needed. */
export function scrollToMessage(box: HTMLElement, index: number): void {
  const groups = [...box.querySelectorAll<HTMLElement>('[data-from]')];
  const group = groups.findLast((one) => Number(one.dataset['from']) <= index);
  if (!group) return;
  let frames = 0;
  const look = () => {
    const message = group.dataset['drawn'] === 'true' && group.children[index - Number(group.dataset['from'])];
    (message || group).scrollIntoView({ block: 'start' });
    if (++frames < FRAMES) requestAnimationFrame(look);
  };
  look();
}

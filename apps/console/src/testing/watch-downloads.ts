import { onTestFinished, vi } from 'vitest';

/** Returns the files that the page downloads from now on, until the test ends. */
export function watchDownloads(): { readonly name: string; readonly text: Promise<string> }[] {
  const files: { name: string; text: Promise<string> }[] = [];
  let content: Blob | MediaSource | undefined;
  const hear = ({ target }: Event) => {
    if (content instanceof Blob) files.push({ name: (target as HTMLAnchorElement).download, text: content.text() });
    content = undefined;
  };
  const make = document.createElement.bind(document);
  const spies = [
    vi.spyOn(URL, 'createObjectURL').mockImplementation((next) => {
      content = next;
      return 'blob:berth';
    }),
    vi.spyOn(document, 'createElement').mockImplementation((name: string) => {
      const element = make(name);
      if (name === 'a') element.addEventListener('click', hear);
      return element;
    }),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return files;
}

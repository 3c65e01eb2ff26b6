import type { Page } from 'playwright-core';

/** Drops one file on the page. */
export const dropFile = (page: Page, name: string) => dropEntry(page, name, undefined);

/** Drops a folder as a person does: the browser itself makes the entries of it. */
export const dropFolder = (page: Page, name: string, files: Readonly<Record<string, string>>) =>
  dropEntry(page, name, files);

async function dropEntry(page: Page, name: string, files: Readonly<Record<string, string>> | undefined): Promise<void> {
  await page.evaluate(
    ([dropped, contents]) => {
      const file = ([path, text]: [string, string]) => ({
        isDirectory: false,
        name: path,
        file: (done: (file: File) => void) => done(new File([text], path)),
      });
      const batches = [Object.entries(contents ?? {}).map(file), []];
      const folder = {
        isDirectory: true,
        name: dropped,
        createReader: () => ({ readEntries: (done: (entries: unknown[]) => void) => done(batches.shift() ?? []) }),
      };
      const entry = contents ? folder : file([dropped, 'text']);
      const dataTransfer = { types: ['Files'], items: [{ webkitGetAsEntry: () => entry }] };
      for (const type of ['dragover', 'drop']) {
        const event = new Event(type, { bubbles: true, cancelable: true });
        Object.assign(event, { dataTransfer });
        document.body.dispatchEvent(event);
      }
    },
    [name, files] as const,
  );
}

/** Drops files on a page that takes them itself, as a browser does that was handed them. */
export async function dropFiles(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  const data = await page.evaluateHandle((given) => {
    const transfer = new DataTransfer();
    for (const [name, content] of Object.entries(given)) transfer.items.add(new File([content], name));
    return transfer;
  }, files);
  const zone = page.locator('[data-own-drop]');
  await zone.dispatchEvent('dragover', { dataTransfer: data });
  await zone.dispatchEvent('drop', { dataTransfer: data });
}

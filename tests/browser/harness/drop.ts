import type { Page } from 'playwright-core';

/** Drops a folder as a person does: the browser itself makes the entries of it. */
export async function dropFolder(page: Page, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(
    ([folder, contents]) => {
      const file = ([path, text]: [string, string]) => ({
        isDirectory: false,
        name: path,
        file: (done: (file: File) => void) => done(new File([text], path)),
      });
      const batches = [Object.entries(contents).map(file), []];
      const entry = {
        isDirectory: true,
        name: folder,
        createReader: () => ({ readEntries: (done: (entries: unknown[]) => void) => done(batches.shift() ?? []) }),
      };
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

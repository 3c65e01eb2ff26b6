import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openFile, type WorkspacePath } from '@berth/agent-core';
import { openFolder } from '@berth/kit/node';
import { expect, test } from 'vitest';
import { openJobFolder } from '../jobs/job-folder.ts';
import { RENDERED, RenderError, type Renderer } from '../renderer/renderer.ts';
import { openText } from '../testing/open-documents.ts';
import { pdfText } from '../testing/pdf-text.ts';

/** Runs the contract tests of a {@link Renderer}. */
export function describeRenderer(open: () => Renderer): void {
  const render = async (bytes: Uint8Array, signal = new AbortController().signal) => {
    await using folder = await openJobFolder();
    await writeFile(path.join(folder.path, 'document.odt'), bytes);
    await open().toPdf({ folder: folder.path, document: 'document.odt', format: 'odt', signal });
    await using opened = await openFolder(folder.path);
    await using made = opened && (await openFile({ folder: opened, name: RENDERED }, RENDERED as WorkspacePath));
    return made && Buffer.concat(await made.read().toArray());
  };

  test('leaves the PDF in the folder of the job', async () => {
    expect(open().version).not.toBe('');
    const pdf = await render(await openText('Hello'));
    expect(await pdfText(pdf!)).toEqual([expect.stringContaining('Hello')]);
  });

  test('says of a document that cannot be read that it is the document', async () => {
    const failure = await render(Buffer.from('PK no document')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RenderError);
    expect(failure).toMatchObject({ isLasting: true, message: expect.stringMatching(/damaged|password/) });
  });

  test("ends with the signal's reason", async () => {
    const reason = new Error('enough');
    await expect(render(await openText('Hello'), AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const running = render(await openText('Hello'), controller.signal);
    running.catch(() => {});
    setImmediate(() => controller.abort(reason));
    await expect(running).rejects.toBe(reason);
  });
}

import { createSilentLogger } from '@berth/kit';
import { createRecordingLogger } from '@berth/testkit';
import { expect, it } from 'vitest';
import { ndjsonResponse } from './ndjson-response.ts';

it('asks for a value only when its reader wants one, and stops asking when the reader goes', async () => {
  let made = 0;
  let isOver = false;
  async function* count() {
    try {
      for (;;) yield { value: ++made };
    } finally {
      isOver = true;
    }
  }
  const body = ndjsonResponse(createSilentLogger(), count).body?.getReader();
  expect(new TextDecoder().decode((await body?.read())?.value)).toBe('{"value":1}\n');
  await new Promise((resolve) => setImmediate(resolve));
  expect(made).toBeLessThanOrEqual(2);
  await body?.cancel();
  expect(isOver).toBe(true);
});

it('is cut by a fault, which is logged and not told', async () => {
  const lines: string[] = [];
  async function* fail() {
    yield { value: 1 };
    throw new Error('the database is gone');
  }
  const answer = ndjsonResponse(createRecordingLogger(lines), fail);
  await expect(answer.text()).rejects.toThrow();
  expect(lines.join()).toContain('the database is gone');
});

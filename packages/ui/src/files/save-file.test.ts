import { afterEach, expect, test, vi } from 'vitest';
import { saveFile } from './save-file.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function save(...args: Parameters<typeof saveFile>) {
  vi.useFakeTimers();
  const link = { href: '', download: '', click: vi.fn() };
  vi.stubGlobal('document', { createElement: () => link });
  const made: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    made.push(blob as Blob);
    return 'blob:1';
  });
  const revoked = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue();
  saveFile(...args);
  return { link, made, revoked };
}

test('a text is downloaded under its name, with its type', async () => {
  const { link, made } = save('a.csv', 'x,y', 'text/csv');
  expect(link).toMatchObject({ href: 'blob:1', download: 'a.csv' });
  expect(link.click).toHaveBeenCalledOnce();
  expect([made[0]?.type, await made[0]?.text()]).toEqual(['text/csv', 'x,y']);
});

test('a file is downloaded as it is', () => {
  const blob = new Blob(['x'], { type: 'image/png' });
  expect(save('a.png', blob).made).toEqual([blob]);
});

// Fails when the URL is revoked at once: Safari would save nothing.
test('its address stays for a minute, and is given back then', () => {
  const { revoked } = save('a.txt', 'x');
  vi.advanceTimersByTime(59_999);
  expect(revoked).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(revoked).toHaveBeenCalledExactlyOnceWith('blob:1');
});

import type { Part } from '@berth/contract/agent';
import { describe, expect, it } from 'vitest';
import { findWrittenPath, listArtifacts } from './list-artifacts.ts';

const page = (heading: string) => `<!doctype html><title>Tides</title><h1>${heading}</h1>${'x'.repeat(200)}`;
const fenced = (code: string, fence = '```') =>
  ({ type: 'text', text: `Here:\n\n${fence}html\n${code}\n${fence}\n\nDone.` }) as const;
const step = (tool_name: string, args: object, ok = true) =>
  ({ type: 'step', tool_name, args: JSON.stringify(args), ok }) as const;
const codes = (...parts: readonly Part[]) => listArtifacts([parts]).map(({ artifact }) => artifact.code);

describe('the artifacts of a chat', () => {
  it('are its blocks of code, in text and as parts, in order', () => {
    const parts = [
      fenced(page('1')),
      { type: 'code', language: 'html', code: page('2') },
      fenced(page('3'), '~~~~'),
    ] as const;
    expect(codes(...parts)).toEqual([page('1'), page('2'), page('3')]);
    expect(new Set(listArtifacts([parts]).map(({ artifact }) => artifact.key))).toEqual(new Set(['html:Tides']));
  });

  it('leave out a block that is not closed yet', () => {
    expect(codes({ type: 'text', text: `\`\`\`html\n${page('1')}` })).toEqual([]);
  });

  it('are the files that steps wrote, as each edit left them', () => {
    const write = step('write_file', { path: 'a.html', content: 'one one' });
    const edit = step('edit_file', { path: 'a.html', old_text: 'one', new_text: '$&' });
    const all = step('edit_file', { path: 'a.html', old_text: 'one', new_text: 'two', all: true });
    expect(codes(write, all, edit)).toEqual(['one one', 'two two', 'two two']);
    expect(codes(write, edit)).toEqual(['one one', '$& one']);
    expect(codes(all)).toEqual([]);
  });

  it('leave out steps that failed, wrote something else or have unreadable arguments', () => {
    expect(findWrittenPath(step('write_file', { path: 'a.html' }))).toBe('a.html');
    expect(findWrittenPath(step('write_file', { path: 'a.html' }, false))).toBeUndefined();
    expect(findWrittenPath(step('write_file', { path: 'a.md' }))).toBeUndefined();
    expect(findWrittenPath(step('read_file', { path: 'a.html' }))).toBeUndefined();
    expect(findWrittenPath({ type: 'step', tool_name: 'write_file', ok: true, args: '{"path":' })).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { EMPTY_ANSWER, type Item } from '../state/items.ts';
import { groupItems } from './group-items.ts';
import { outlineItem } from './message-group.tsx';
import { createDrawnGroups } from './message-list.tsx';

const question = (content: string): Item => ({ kind: 'question', content, attachments: [] });

describe('groups of messages', () => {
  it('stay the same objects while their messages do', () => {
    const items = Array.from({ length: 20 }, (_, index) => question(String(index)));
    const before = groupItems(items, []);
    expect(before.map(({ from, items: some }) => [from, some.length])).toEqual([
      [0, 8],
      [8, 8],
      [16, 4],
    ]);
    const after = groupItems([...items.with(17, question('other')), question('more')], before);
    expect([after[0] === before[0], after[1] === before[1], after[2] === before[2]]).toEqual([true, true, false]);
    expect(after.flatMap((group) => group.items)).toHaveLength(21);
    expect(groupItems(items.slice(0, 3), before)).toEqual([{ from: 0, items: items.slice(0, 3) }]);
  });

  it('make room for those in sight, the one left first before others', () => {
    const groups = createDrawnGroups(3);
    for (const from of [0, 8, 16]) expect(groups.come(from)).toEqual([]);
    // All groups near the viewport stay, even above the maximum.
    expect(groups.come(24)).toEqual([]);
    groups.leave(16);
    groups.leave(0);
    groups.leave(99);
    expect(groups.come(32)).toEqual([16, 0]);
    expect(groups.come(8)).toEqual([]);
  });

  it('are as high as their words need', () => {
    const height = (text: string, widthPx = 736) => outlineItem(question(text), widthPx).heightPx;
    expect(height('a')).toBeLessThan(height('a\nb'));
    expect(height('a'.repeat(1_000))).toBeLessThan(height('a'.repeat(1_000), 300));
    expect(height('', 0)).toBeGreaterThan(0);
    const answer: Item = { ...EMPTY_ANSWER, parts: [{ type: 'text', text: 'Said.' }] };
    expect(outlineItem(answer, 736).text).toBe('Said.');
  });
});

import type { SampleResult } from './try-sample.ts';

/** A Markdown table of results, and a line that counts them. @param before results of an earlier run; none for no such column. */
export function renderTable(results: readonly SampleResult[], before: readonly SampleResult[]): string {
  const hasBefore = before.length > 0;
  const rows = results.map((result) => {
    const { name, isDetected, isBuilt, isServed, seconds, note } = result;
    const earlier = before.find((one) => one.name === name);
    return [
      name,
      ...[isDetected, isBuilt, isServed].map((is) => (is ? 'yes' : 'no')),
      ...(hasBefore ? [earlier === undefined ? '' : describe(earlier)] : []),
      `${seconds} s`,
      note.replaceAll('|', '\\|'),
    ];
  });
  const header = ['Sample', 'Detected', 'Built', 'Served', ...(hasBefore ? ['Before'] : []), 'Time', 'Note'];
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n\n${count(results)}${hasBefore ? `; before: ${count(before)}` : ''}`;
}

function describe({ isCreated, isDetected, isBuilt, isServed }: SampleResult): string {
  if (isServed) return 'served';
  if (isBuilt) return 'built';
  if (isDetected) return 'detected';
  return isCreated ? 'nothing' : 'not created';
}

function count(results: readonly SampleResult[]): string {
  const made = results.filter(({ isCreated }) => isCreated);
  const number = (step: 'isDetected' | 'isBuilt' | 'isServed') => made.filter((result) => result[step]).length;
  return `Of ${made.length} samples ${number('isDetected')} detected, ${number('isBuilt')} built, ${number('isServed')} served`;
}

import { SEVERITIES } from '@berth/contract';
import { expect, test } from 'vitest';
import { encodeBody, encodeLine } from '../../lines/record-line.ts';
import { boundsOf, createLineGuard } from './filter-bounds.ts';
import { parseFilter } from './parse-filter.ts';

function passing(query: string): string[] {
  const guard = createLineGuard(boundsOf(parseFilter(query)));
  return SEVERITIES.filter((severity) => {
    const body = encodeBody({ jsonPayload: { severity: 'INFO' }, message: 'x', severity, logName: 'stdout' });
    return guard(Buffer.from(encodeLine('2026-01-31T00:00:00.000000000Z', body)));
  });
}

test('lets through every line that may fit, and few others', () => {
  expect(passing('severity>=ERROR AND x')).toEqual(['ERROR', 'CRITICAL', 'ALERT', 'EMERGENCY']);
  expect(passing('severity=(ERROR OR ALERT)')).toEqual(['ERROR', 'ALERT']);
  expect(passing('severity=ALERT severity>=ERROR')).toEqual(['ALERT']);
  // A payload's own severity is taken for the entry's: that costs time, and no entry.
  expect(passing('severity=INFO')).toEqual([...SEVERITIES]);
  for (const query of ['', 'severity>=INFO', 'severity>=ERROR OR x', 'NOT severity=ERROR', 'x']) {
    expect(passing(query)).toEqual([...SEVERITIES]);
  }
});

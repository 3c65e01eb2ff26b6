import { LIMITS } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { type EnvironmentChange, environmentChangeIssues, environmentSizeIssues } from './environment-change.ts';
import { platformVariableNames } from './instance-environment.ts';

const change = (set: Record<string, string>, unset: string[] = [], plain: string[] = []): EnvironmentChange => ({
  set: new Map(Object.entries(set)),
  unset,
  plain: new Set(plain),
});
const placesOf = (one: EnvironmentChange) =>
  environmentChangeIssues(one, platformVariableNames(['ACME'])).map((issue) => issue.loc.join('.'));

describe('a change of environment', () => {
  it.each(['1A', 'A-B', 'A B', 'Ä', '', 'A=B', 'A\n', '$A'])('cannot set %j', (key) => {
    expect(placesOf(change({ [key]: 'x' }))).toEqual([`body.set.${key}`]);
  });

  it('cannot set what the platform sets', () => {
    const taken = ['PORT', 'K_SERVICE', 'K_REVISION', 'K_CONFIGURATION', 'BERTH_URL', 'BERTH_VOLUMES', 'CRON_TOKEN'];
    for (const key of [...taken, 'ACME_URL', 'ACME_VOLUMES', 'ACME_CRON_TOKEN']) {
      expect(placesOf(change({ [key]: 'x' }))).toEqual([`body.set.${key}`]);
    }
    expect(placesOf(change({ OTHER_URL: 'x', _: 'y', a1: '' }))).toEqual([]);
  });

  it('tells every fault at once', () => {
    const places = placesOf(change({ 'A-B': 'x', C: 'nul\0', D: '' }, ['E', 'D'], ['C', 'F']));
    expect(places).toEqual(['body.set.A-B', 'body.set.C', 'body.unset.1', 'body.plain']);
  });

  it('may reach 32 KB in all, counted in bytes', () => {
    const fits = new Map([
      ['A', { value: 'é'.repeat((LIMITS.environmentBytes - 2) / 2) }],
      ['B', { value: '' }],
    ]);
    expect(environmentSizeIssues(fits)).toEqual([]);
    expect(environmentSizeIssues(new Map([...fits, ['B', { value: 'x' }]]))).toMatchObject([{ loc: ['body', 'set'] }]);
  });
});

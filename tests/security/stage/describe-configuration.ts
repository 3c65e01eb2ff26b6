import { chownSync } from 'node:fs';
import type { DoctorReport } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBerth } from '../../harness/berth.ts';
import { cli } from '../../harness/cli.ts';
import { INSIDE_ATTEMPTS } from '../inside/attempts.ts';
import { CONFIGURATIONS, type ConfigurationName, STRICT } from './configurations.ts';
import { openStage, type Stage } from './open-stage.ts';
import { type Result, runInside } from './run-inside.ts';
import { outsideAttemptsOf, runOutside } from './run-outside.ts';

/** Bound of everything that is done before the tests of a configuration look at it. */
const RUN_TIMEOUT_MS = 240_000;

/** Makes all attempts in a configuration; each is a test. */
export function describeConfiguration(name: ConfigurationName): void {
  const configuration = CONFIGURATIONS[name];
  const { exceptions, enforced } = configuration;
  const lacking = configuration.lacks();
  const ids = [
    ...INSIDE_ATTEMPTS.flatMap(({ id, from = ['service', 'build'] }) => from.map((place) => `${id}@${place}`)),
    ...outsideAttemptsOf(name).map(({ id }) => id),
  ];

  describe(`attacks on ${name}`, () => {
    if (lacking !== undefined) {
      if (process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${lacking}`);
      it(name, (context) => context.skip(lacking));
      return;
    }
    let stage: Stage;
    let report: DoctorReport;
    let words: string;
    const results = new Map<string, Result>();
    const exceptionOf = (id: string): string | undefined => exceptions[id] ?? exceptions[id.split('@')[0] as string];

    beforeAll(async () => {
      stage = await openStage(configuration);
      // Attempts of programs last: one of them leaves the victim restarting.
      for (const result of [...(await runOutside(stage)), ...(await runInside(stage))]) results.set(result.id, result);
      report = (await (await stage.berth.api('/v1/doctor')).json()) as DoctorReport;
      words = (await cli(stage.berth, ['doctor'])).stdout;
    }, RUN_TIMEOUT_MS);
    afterAll(async () => {
      await stage?.[Symbol.asyncDispose]();
      const through = [...results.values()].filter(({ id, evidence }) => evidence && !exceptionOf(id));
      const known = [...results.values()].filter(({ id, evidence }) => evidence && exceptionOf(id));
      const besides = known.length > 0 ? `, ${known.length} documented exceptions` : '';
      console.log(`security: ${name}: ${results.size} attempts, ${through.length} got through${besides}`);
      for (const { id, tries, evidence } of through) console.log(`security: ${name}: ${id}: ${tries}: ${evidence}`);
    });

    it.each(ids)('%s', (id) => {
      const result = results.get(id);
      if (!result) throw new Error(`${id} was not tried`);
      expect(result.brokenControl, `the control of "${result.tries}"`).toBeUndefined();
      const exception = exceptionOf(id);
      if (exception === undefined)
        expect(result.evidence, `${result.tries}; it answered ${result.answer}`).toBeUndefined();
      else expect(result.evidence, `the exception is none any more: ${result.answer}`).toBeDefined();
    });

    it.each(enforced)('%s is enforced', (id) => {
      expect(report.checks.find((check) => check.id === id)).toMatchObject({ status: 'enforced' });
    });

    const gaps = STRICT.filter((id) => !enforced.includes(id));
    if (gaps.length > 0)
      it(`a server for strangers is refused, naming ${gaps.join(' and ')}`, async () => {
        await using strict = createBerth({ ...stage.options, args: ['--require-isolation'] });
        chownSync(strict.dataFolder, stage.uid, stage.uid);
        const said = await strict.start().then(
          () => 'it started',
          (error: Error) => error.message,
        );
        for (const id of gaps) expect(said).toContain(`- ${report.checks.find((check) => check.id === id)?.title}`);
      });

    it.each([...new Set(Object.values(exceptions))])('berth doctor names %s, which is not enforced', (id) => {
      const check = report.checks.find((one) => one.id === id);
      expect(check?.status).toMatch(/^(partial|missing)$/);
      expect(words).toContain(check?.title);
    });
  });
}

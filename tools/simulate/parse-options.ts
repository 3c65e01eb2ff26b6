import { parseArgs } from 'node:util';
import { DEFAULT_POLICY } from '@berth/gateway/policy';
import type { SimulateOptions } from './simulate.ts';
import { TRACE_NAMES } from './trace-shape.ts';

/** How the command is used. */
export const USAGE = `usage: npm run simulate -- [--services N] [--trace ${TRACE_NAMES.join('|')}] [--seconds N] [--seed N] [--idle-seconds N] [--min-instances N] [--json]
       npm run simulate -- --plot FILE.svg   draws one service under Berth's policy`;

/** What was asked for. */
export interface CommandOptions extends SimulateOptions {
  readonly isJson: boolean;
  /** The SVG file to draw one service into, instead of the comparison. */
  readonly plotFile: string | undefined;
}

/** @throws Error with a sentence about what is wrong with the arguments. */
export function parseOptions(argv: readonly string[]): CommandOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      services: { type: 'string', default: '1000' },
      trace: { type: 'string', default: 'diurnal' },
      seconds: { type: 'string', default: '3600' },
      seed: { type: 'string', default: '1' },
      'idle-seconds': { type: 'string', default: String(DEFAULT_POLICY.idleTimeoutMs / 1_000) },
      'min-instances': { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
      plot: { type: 'string' },
    },
  });
  const trace = TRACE_NAMES.find((name) => name === values.trace);
  if (trace === undefined) throw new Error(`--trace must be one of ${TRACE_NAMES.join(', ')}, not "${values.trace}".`);
  return {
    services: integer('services', values.services, 1, 1_000_000),
    trace,
    seconds: integer('seconds', values.seconds, 1, 604_800),
    seed: integer('seed', values.seed, 0, 2 ** 31 - 1),
    minInstances: integer('min-instances', values['min-instances'], 0, 20),
    policy: { ...DEFAULT_POLICY, idleTimeoutMs: 1_000 * integer('idle-seconds', values['idle-seconds'], 1, 604_800) },
    isJson: values.json,
    plotFile: values.plot,
  };
}

function integer(name: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}

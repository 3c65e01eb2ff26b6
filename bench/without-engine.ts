import type { BenchResult } from './figure.ts';

/** What a benchmark of containers says where no engine was given to it. */
export const NO_ENGINE: BenchResult = {
  figures: [],
  notes: ['Not measured: needs a Docker engine of its own (docs/guides/docker.md, Tests).'],
};

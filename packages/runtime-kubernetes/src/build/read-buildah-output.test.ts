import { expect, it } from 'vitest';
import { readBuildahLine } from './read-buildah-output.ts';

// Lines of buildah 1.28.2 and 1.39.3.
it.each([
  ['STEP 1/5: FROM node:24-slim', [{ kind: 'step', step: { number: 1, count: 5, instruction: 'FROM node:24-slim' } }]],
  ['[1/2] STEP 3/9: RUN npm ci', [{ kind: 'step', step: { number: 3, count: 9, instruction: 'RUN npm ci' } }]],
  ['added 3 packages in 1s', [{ kind: 'output', line: 'added 3 packages in 1s' }]],
  ['COMMIT localhost/berth:build', []],
  ['--> 5d0da3dc9764', []],
  ['subprocess exited with status 7', []],
  [
    'Error: building at STEP "COPPY ": Build error: Unknown instruction: "COPPY" &imagebuilder.Step{Env:[]string{"PATH=/bin"}}',
    [{ kind: 'error', message: 'Unknown instruction: "COPPY"', exitCode: undefined }],
  ],
  ['', []],
  [
    'Error: building at STEP "RUN npm ci": while running runtime: exit status 3',
    [{ kind: 'error', message: 'building at STEP "RUN npm ci": while running runtime: exit status 3', exitCode: 3 }],
  ],
  [
    'Error: creating build container: reading manifest x in docker.io/library/nope: manifest unknown',
    [
      {
        kind: 'error',
        message: 'creating build container: reading manifest x in docker.io/library/nope: manifest unknown',
        exitCode: undefined,
      },
    ],
  ],
])('reads %s', (line, events) => {
  expect(readBuildahLine(line)).toEqual(events);
});

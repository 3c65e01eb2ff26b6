import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findDrift, type GeneratedFile, generateFiles } from './generated-files.ts';

const CONTROL_TYPES = 'packages/client/src/generated/control-api.ts';
const AGENT_TYPES = 'packages/client/src/generated/agent-api.ts';
let root: string;
let files: readonly GeneratedFile[];

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'generated-files-'));
  files = await generateFiles(path.resolve(import.meta.dirname, '../..'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function write({ name, text }: GeneratedFile): void {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), text);
}

// Fails when generateFiles leaves out the types, or findDrift compares the existence of files only.
test('a type that differs from the routes is drift, and so is a file that is missing', () => {
  files.forEach(write);
  expect(findDrift(root, files)).toEqual([]);
  const types = files.find(({ name }) => name === CONTROL_TYPES)?.text ?? '';
  write({ name: CONTROL_TYPES, text: types.replace('"/v1/user/members"', '"/v1/user/member"') });
  rmSync(path.join(root, AGENT_TYPES));
  expect(findDrift(root, files)).toEqual([CONTROL_TYPES, AGENT_TYPES]);
});

// Fails when renderTypes takes the default of `defaultNonNullable`, adds no `undefined`, or adds it to answers too.
test('fields of requests that may be left out take undefined, also those with a default', () => {
  const types = files.find(({ name }) => name === CONTROL_TYPES)?.text ?? '';
  expect(types).toMatch(/LogsRequest: \{[^}]*?limit\?: number \| undefined;/);
  expect(types).toMatch(/LogsRequest: \{[^}]*?deployment_name: string;/);
  expect(types).toMatch(/page_token\?: string \| undefined;/);
  expect(types).toMatch(/ {8}SignedIn: \{\s+token\?: string;/);
});

import { describe, expect, it } from 'vitest';
import { REPO } from '../harness/berth.ts';
import { findCitations, readCitations } from './citations.ts';
import { DEFERRED, REQUIREMENTS } from './requirements.ts';

describe('findCitations', () => {
  it('finds ids over several lines, and nothing where nothing is cited', () => {
    expect(findCitations("verifies('a.b', \"c\");\nverifies(\n  'd',\n);")).toEqual(['a.b', 'c', 'd']);
    expect(findCitations("falsifies('a')")).toEqual([]);
  });
});

describe('the contract', () => {
  const { files, citations } = readCitations(REPO);
  const known = Object.keys(REQUIREMENTS);
  const cited = new Set(citations.map((citation) => citation.id));

  it('is read', () => {
    console.log(
      `conformance: ${known.length} requirements, ${citations.length} citations in ${files} test files; deferred: ` +
        `${Object.keys(DEFERRED).join(', ') || 'none'}`,
    );
    expect(known.length).toBeGreaterThan(100);
    expect(citations.length).toBeGreaterThan(0);
  });

  it('has a test for every requirement that is not deferred, and for none that is', () => {
    expect(known.filter((id) => !cited.has(id) && !(id in DEFERRED))).toEqual([]);
    expect(Object.keys(DEFERRED).filter((id) => cited.has(id))).toEqual([]);
  });

  it('is not cited where it says nothing', () => {
    expect(citations.filter(({ id }) => !(id in REQUIREMENTS))).toEqual([]);
  });
});

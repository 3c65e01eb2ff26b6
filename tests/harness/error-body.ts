import { expect } from 'vitest';

/** One entry of a 422. */
export interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Asserts the form of an error other than 422, and answers its sentence. */
export async function expectError(response: Response, status: number): Promise<string> {
  const body = (await response.json()) as { detail: unknown };
  expect({ status: response.status, body }).toEqual({ status, body: { detail: expect.any(String) } });
  expect(response.headers.get('x-request-id')).toMatch(/\S{8,}/);
  if (status === 401) expect(response.headers.get('www-authenticate')).toBe('Bearer');
  if (status === 429 || status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  const sentence = body.detail as string;
  expect(sentence.length).toBeGreaterThan(8);
  return sentence;
}

/** Asserts the form of a 422, and answers its entries. */
export async function expectIssues(response: Response): Promise<readonly Issue[]> {
  const body = (await response.json()) as { detail: Issue[] };
  expect({ status: response.status, body }).toEqual({ status: 422, body: { detail: expect.any(Array) } });
  expect(response.headers.get('x-request-id')).toMatch(/\S{8,}/);
  expect(body.detail.length).toBeGreaterThan(0);
  for (const issue of body.detail) {
    expect(issue).toEqual({ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) });
    expect(['body', 'query', 'path', 'header']).toContain(issue.loc[0]);
    expect(issue.type).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
    expect(issue.msg).not.toBe('');
  }
  return body.detail;
}

/** The places of `issues`, joined and sorted, for a comparison at a glance. */
export function placesOf(issues: readonly Issue[]): string[] {
  return issues.map((issue) => issue.loc.join('.')).sort();
}

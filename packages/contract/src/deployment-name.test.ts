import { describe, expect, it } from 'vitest';
import { deploymentNameProblem } from './deployment-name.ts';

describe('deploymentNameProblem', () => {
  it.each(['a', 'a1', 'my-agent', 'a--b', 'a'.repeat(63)])('accepts %s', (name) => {
    expect(deploymentNameProblem(name)).toBeUndefined();
  });

  it.each(['', '1a', '-a', 'a-', 'a_b', 'a.b', 'A', 'é', 'a b', '../a', 'a'.repeat(64), 'api', 'a\n'])(
    'refuses %j',
    (name) => {
      expect(deploymentNameProblem(name)).toEqual(expect.any(String));
    },
  );

  it('reserves what the operator adds', () => {
    expect(deploymentNameProblem('status', ['status'])).toContain('reserved');
  });
});

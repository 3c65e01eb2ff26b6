import type { ValidationIssue } from '@berth/contract';

/** Wrong fields as people read them, one a line: `port: must be from 1 to 65535`. The place (`body`…) is left out. */
export function formatIssues(issues: readonly ValidationIssue[]): string {
  return issues.map((issue) => `${issue.loc.slice(1).join('.') || issue.loc.join('.')}: ${issue.msg}`).join('\n');
}

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CHART } from './helm.ts';

/** What a service account of Berth may do. The chart's roles and the guide's table are made of these. */
export interface Permission {
  readonly role: 'server' | 'collector';
  /** In the namespaces of accounts and builds, in that of builds, in the whole cluster, or in Berth's own namespace. */
  readonly where: 'accounts' | 'builds' | 'cluster' | 'berth';
  /** The value of the chart that it needs. */
  readonly needs?: 'volumes';
  readonly apiGroup: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly purpose: string;
}

/** Reads the permissions of the chart. */
export function readPermissions(): readonly Permission[] {
  return JSON.parse(readFileSync(path.join(CHART, 'permissions.json'), 'utf8')) as Permission[];
}

import type { Tool } from '../tool/tool.ts';
import { deployFiles, deployFolder, getDeploy, listDeploys, rollbackService } from './deploys.ts';
import { readLogs, runSql } from './logs.ts';
import { getMetrics, getService, listServices } from './services.ts';
import { listVariables, setVariables, unsetVariables } from './variables.ts';
import { listObjects, listVolumes, readObject, writeObject } from './volumes.ts';

/** All tools of the platform. The list is fixed: nothing that a tool returns changes it. */
export const PLATFORM_TOOLS: readonly Tool[] = [
  ...[listServices, getService, deployFiles, deployFolder, listDeploys, getDeploy, rollbackService],
  ...[readLogs, runSql, getMetrics],
  ...[listVariables, setVariables, unsetVariables],
  ...[listVolumes, listObjects, readObject, writeObject],
];

import type { Migration } from '@berth/sqlite';
import { accountsMigration } from './0001-accounts.ts';
import { deploymentsMigration } from './0002-deployments.ts';
import { domainsMigration } from './0003-domains.ts';
import { billingMigration } from './0004-billing.ts';
import { schedulesMigration } from './0005-schedules.ts';
import { volumesMigration } from './0006-volumes.ts';
import { resourceUsageMigration } from './0007-resource-usage.ts';
import { identityMigration } from './0008-identity.ts';
import { logSegmentsMigration } from './0009-log-segments.ts';
import { membersMigration } from './0010-members.ts';
import { deployActorsMigration } from './0011-deploy-actors.ts';
import { passkeysMigration } from './0012-passkeys.ts';
import { deployReleasesMigration } from './0013-deploy-releases.ts';
import { deploymentListMigration } from './0014-deployment-list.ts';
import { requiredVariablesMigration } from './0015-required-variables.ts';
import { serversMigration } from './0016-servers.ts';
import { sealingKeysMigration } from './0017-sealing-keys.ts';
import { gatewaysMigration } from './0018-gateways.ts';
import { mailMigration } from './0019-mail.ts';
import { alertsMigration } from './0020-alerts.ts';
import { instanceReportsMigration } from './0021-instance-reports.ts';
import { stoppedDeploymentsMigration } from './0022-stopped-deployments.ts';
import { sourceDigestsMigration } from './0023-source-digests.ts';
import { sharedVariablesMigration } from './0024-shared-variables.ts';
import { logExportMigration } from './0025-log-export.ts';
import { trafficMigration } from './0026-traffic.ts';
import { gitPushesMigration } from './0027-git-pushes.ts';
import { repositoriesMigration } from './0028-repositories.ts';
import { deployKeysMigration } from './0029-deploy-keys.ts';

/** Postgres schema of the platform's tables. */
export const SCHEMA = 'berth';

/**
 * Releases that know this migration work on the newest schema, so that they run beside a newer release during a rolling upgrade
 * (docs/decisions/0067-a-schema-serves-the-release-before.md). A migration that removes or changes what older releases use says its own
 * `servesFrom`.
 */
const SERVES_FROM = 15;

/** Every migration, in order. */
export const MIGRATIONS: readonly Migration[] = [
  accountsMigration,
  deploymentsMigration,
  domainsMigration,
  billingMigration,
  schedulesMigration,
  volumesMigration,
  resourceUsageMigration,
  identityMigration,
  logSegmentsMigration,
  membersMigration,
  deployActorsMigration,
  passkeysMigration,
  deployReleasesMigration,
  deploymentListMigration,
  requiredVariablesMigration,
  serversMigration,
  sealingKeysMigration,
  gatewaysMigration,
  mailMigration,
  alertsMigration,
  instanceReportsMigration,
  stoppedDeploymentsMigration,
  sourceDigestsMigration,
  sharedVariablesMigration,
  logExportMigration,
  trafficMigration,
  gitPushesMigration,
  repositoriesMigration,
  deployKeysMigration,
].map((migration: Migration) => ({ servesFrom: SERVES_FROM, ...migration }));

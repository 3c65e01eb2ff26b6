import type { Translation } from '@berth/ui';
import type { ConsoleMessages } from '../en/index.ts';
import { account } from './account.ts';
import { alerts } from './alerts.ts';
import { audit } from './audit.ts';
import { auditActions } from './audit-actions.ts';
import { billing } from './billing.ts';
import { deploy } from './deploy.ts';
import { deployment } from './deployment.ts';
import { environment } from './environment.ts';
import { instances } from './instances.ts';
import { keys } from './keys.ts';
import { logs } from './logs.ts';
import { metrics } from './metrics.ts';
import { overview } from './overview.ts';
import { people } from './people.ts';
import { repository } from './repository.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { sql } from './sql.ts';
import { volumes } from './volumes.ts';

export const ar: Translation<ConsoleMessages> = {
  ...shell,
  ...signIn,
  ...deployment,
  ...overview,
  ...environment,
  ...instances,
  ...deploy,
  ...repository,
  ...settings,
  ...metrics,
  ...keys,
  ...alerts,
  ...audit,
  ...auditActions,
  ...people,
  ...logs,
  ...sql,
  ...volumes,
  ...billing,
  ...account,
};

import type { Translation } from '@berth/web';
import type { ConsoleMessages } from '../en/index.ts';
import { audit } from './audit.ts';
import { deploy } from './deploy.ts';
import { deployments } from './deployments.ts';
import { keys } from './keys.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';

export const ar: Translation<ConsoleMessages> = { ...shell, ...signIn, ...deployments, ...deploy, ...keys, ...audit };

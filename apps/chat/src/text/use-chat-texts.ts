import { type Language, type Translation, useTexts } from '@berth/ui';
import { ar } from './ar.ts';
import { type ChatMessages, en } from './en.ts';

/** The page's texts by language. */
export const CHAT_TEXTS: Readonly<Record<Language, Translation<ChatMessages>>> = { en, ar };

export const useChatTexts = () => useTexts<ChatMessages>();

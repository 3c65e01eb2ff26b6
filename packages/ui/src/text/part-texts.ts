import type { Language } from './languages.ts';
import type { Translation } from './messages.ts';

const en = {
  'parts.cancel': 'Cancel',
  'parts.close': 'Close',
  'parts.copy': 'Copy',
  'parts.copied': 'Copied',
  'parts.copyCli': 'Copy CLI command',
  'parts.copyCurl': 'Copy as curl',
  'parts.copyId': 'Copy ID {id}',
  'parts.more': 'More actions',
  'parts.retry': 'Try again',
  'parts.loading': 'Loading',
  'parts.typeToConfirm': 'Type {name} to confirm',
  'parts.palette': 'Command palette',
  'parts.paletteHint': 'Go to or do…',
  'parts.paletteEmpty': 'Nothing matches.',
  'parts.paletteActions': 'Actions for {name}',
  'parts.paletteActionsHint': 'Press the right arrow key for actions',
  'parts.back': 'Back',
  'parts.notifications': 'Notifications',
};

export type PartMessages = typeof en;

const ar: Translation<PartMessages> = {
  'parts.cancel': 'إلغاء',
  'parts.close': 'إغلاق',
  'parts.copy': 'نسخ',
  'parts.copied': 'تم النسخ',
  'parts.copyCli': 'نسخ أمر سطر الأوامر',
  'parts.copyCurl': 'نسخ كأمر curl',
  'parts.copyId': 'نسخ المعرّف {id}',
  'parts.more': 'إجراءات أخرى',
  'parts.retry': 'إعادة المحاولة',
  'parts.loading': 'جارٍ التحميل',
  'parts.typeToConfirm': 'اكتب {name} للتأكيد',
  'parts.palette': 'لوحة الأوامر',
  'parts.paletteHint': 'الانتقال إلى صفحة أو تنفيذ أمر…',
  'parts.paletteEmpty': 'لا توجد نتائج مطابقة.',
  'parts.paletteActions': 'إجراءات {name}',
  'parts.paletteActionsHint': 'اضغط مفتاح السهم الأيسر لعرض الإجراءات',
  'parts.back': 'رجوع',
  'parts.notifications': 'الإشعارات',
};

/** Keys of the texts that shared components show. */
export const PART_TEXTS: Readonly<Record<Language, Translation<PartMessages>>> = { en, ar };

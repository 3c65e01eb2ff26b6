import type { Translation } from '@berth/ui';

/** The texts of artifacts in English. */
export const ARTIFACT_TEXTS_EN = {
  'artifact.html': 'Interactive page',
  'artifact.react': 'Interactive component',
  'artifact.untitled': 'Untitled page',
  'artifact.open': 'Open',
  'artifact.writing': 'Writing…',
  'artifact.preview': 'Preview',
  'artifact.code': 'Code',
  'artifact.version': '{count} of {total}',
  'artifact.older': 'Previous version',
  'artifact.newer': 'Next version',
  'artifact.reload': 'Reload',
  'artifact.expand': 'Full screen',
  'artifact.shrink': 'Exit full screen',
  'artifact.close': 'Close preview',
  'artifact.dismiss': 'Dismiss',
  'artifact.fix': 'Fix it',
  'artifact.fixText': 'Fix this error in “{title}”:\n\n{error}',
  'artifact.report.error': 'The page reported an error:',
  'artifact.report.blocked': 'Blocked, because this page has no network access:',
  'artifact.report.link': 'The page links to:',
};

/** The texts of artifacts in Arabic. */
export const ARTIFACT_TEXTS_AR: Translation<typeof ARTIFACT_TEXTS_EN> = {
  'artifact.html': 'صفحة تفاعلية',
  'artifact.react': 'مكوّن تفاعلي',
  'artifact.untitled': 'صفحة بلا عنوان',
  'artifact.open': 'فتح',
  'artifact.writing': 'جارٍ الكتابة…',
  'artifact.preview': 'معاينة',
  'artifact.code': 'الشيفرة',
  'artifact.version': '{count} من {total}',
  'artifact.older': 'الإصدار السابق',
  'artifact.newer': 'الإصدار التالي',
  'artifact.reload': 'إعادة التحميل',
  'artifact.expand': 'ملء الشاشة',
  'artifact.shrink': 'إنهاء ملء الشاشة',
  'artifact.close': 'إغلاق المعاينة',
  'artifact.dismiss': 'تجاهل',
  'artifact.fix': 'إصلاح',
  'artifact.fixText': 'أصلح هذا الخطأ في «{title}»:\n\n{error}',
  'artifact.report.error': 'أبلغت الصفحة عن خطأ:',
  'artifact.report.blocked': 'حُظر الاتصال لأن هذه الصفحة لا تملك وصولًا إلى الشبكة:',
  'artifact.report.link': 'رابط في الصفحة إلى:',
};

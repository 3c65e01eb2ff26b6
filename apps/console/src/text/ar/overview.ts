import type { Translation } from '@berth/ui';
import type { overview as source } from '../en/overview.ts';

export const overview: Translation<typeof source> = {
  'overview.status.serving': 'الإصدار {revision} نشط',
  'overview.status.zero': 'لا مثيلات قيد التشغيل. يبدأ الإصدار {revision} عند الطلب التالي.',
  'overview.status.first': 'أول نشر قيد التنفيذ',
  'overview.status.failed': 'الخدمة متوقفة. لم ينجح أي نشر بعد.',
  'overview.status.deleting': 'قيد الحذف',
  'overview.figures': 'الساعة الأخيرة',
  'overview.requests': 'الطلبات (ساعة)',
  'overview.errorRate': 'معدل الأخطاء (ساعة)',
  'overview.latency': 'زمن الاستجابة p95 (ساعة)',
  'overview.attention': 'يحتاج إلى انتباهك',
  'overview.crashed': {
    one: 'عطل واحد في المثيلات خلال 15 دقيقة',
    two: 'عطلان في المثيلات خلال 15 دقيقة',
    few: '{count} أعطال في المثيلات خلال 15 دقيقة',
    many: '{count} عطلًا في المثيلات خلال 15 دقيقة',
    other: '{count} عطل في المثيلات خلال 15 دقيقة',
  },
  'overview.errorsHigh': 'معدل أخطاء مرتفع',
  'overview.errorsHigh.text': {
    one: 'فشل {errors} من طلب واحد في الساعة الأخيرة',
    two: 'فشل {errors} من طلبين في الساعة الأخيرة',
    few: 'فشل {errors} من {count} طلبات في الساعة الأخيرة',
    many: 'فشل {errors} من {count} طلبًا في الساعة الأخيرة',
    other: 'فشل {errors} من {count} طلب في الساعة الأخيرة',
  },
  'overview.unverified': 'نطاق غير متحقَّق منه',
  'overview.lastDeploy': 'آخر نشر',
  'overview.previousDeploy': 'النشر السابق',
  'overview.details': 'التفاصيل',
  'overview.logs': 'أحدث السجلات',
  'overview.allLogs': 'كل السجلات',
  'overview.noLogs': 'لا سجلات بعد',
};

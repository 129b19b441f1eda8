/** What tools that embed images and files say of them. */
import { AppError } from '../../shared/errors.ts';

export function assertEmbeddable(
  type: string,
  {
    images,
    files,
  }: { readonly images?: readonly unknown[] | undefined; readonly files?: readonly unknown[] | undefined },
): void {
  if (type === 'text' || (images ?? files) === undefined) return;
  throw new AppError('invalid_input', 'Images and files can only be embedded in text notes', {
    subject: `type ${type}`,
    hint: 'Leave images and files out, or attach them with create_attachment. Nothing was written.',
  });
}

/** Empty when there is nothing to say. */
export function embeddingFacts({
  attachmentIds,
  scheduled,
}: {
  readonly attachmentIds: readonly string[];
  readonly scheduled: readonly string[];
}): Record<string, unknown> {
  return {
    ...(attachmentIds.length > 0 && { attachmentIds }),
    ...(scheduled.length > 0 && {
      warning: `Trilium is going to erase ${scheduled.join(', ')}: the text does not refer to them in a way it understands.`,
    }),
  };
}

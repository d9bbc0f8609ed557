import type { ControllerView } from './controller-view.ts';

/** What a request names is decided together, and written together, up to so much of it. Each takes up to a tenth of a millisecond. */
const NAMES_MAX = 250;
/** Texts are checked by patterns: these take some ten milliseconds. */
const TEXT_CHARACTERS_MAX = 512 * 1024;

/** How a request that names many things is decided part by part, in turns with other requests. */
export interface InParts<Request, Response> {
  /** Things of one name are in one part, because they refuse each other. */
  readonly split: (view: ControllerView, request: Request) => readonly Request[];
  readonly join: (responses: readonly Response[]) => Response;
}

interface Named {
  readonly configs?: readonly { readonly value: string | null }[];
}

/** Cuts what a request names into parts; one part where it is not much. What has the same key stays together, at the place of the first. */
export function partsOf<Item extends Named>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const parts: Item[][] = [];
  let part: Item[] = [];
  let characters = 0;
  for (const same of Map.groupBy(items, keyOf).values()) {
    const more = same.reduce((sum, item) => sum + charactersOf(item), 0);
    if (part.length > 0 && (part.length + same.length > NAMES_MAX || characters + more > TEXT_CHARACTERS_MAX)) {
      parts.push(part);
      part = [];
      characters = 0;
    }
    part.push(...same);
    characters += more;
  }
  return part.length > 0 || parts.length === 0 ? [...parts, part] : parts;
}

const charactersOf = ({ configs = [] }: Named): number => configs.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);

interface TopicsRequest {
  readonly topics: readonly (Named & { readonly name: string })[];
}

/** Of requests about topics that are named. */
export const topicsInParts = <Request extends TopicsRequest>(request: Request): readonly Request[] =>
  partsOf<Request['topics'][number]>(request.topics, ({ name }) => name).map((topics) => ({ ...request, topics }));

export interface ResourcesRequest {
  readonly resources: readonly (Named & { readonly resourceType: number; readonly resourceName: string })[];
}

/** Of requests about configs of resources. */
export const resourcesInParts = <Request extends ResourcesRequest>(request: Request): readonly Request[] => {
  const keyOf = ({ resourceType, resourceName }: Request['resources'][number]): string => `${resourceType}/${resourceName}`;
  return partsOf<Request['resources'][number]>(request.resources, keyOf).map((resources) => ({ ...request, resources }));
};

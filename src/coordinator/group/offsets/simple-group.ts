import type { GroupRecord } from '../group-record.ts';
import type { Group, OffsetExpiration } from '../group.ts';
import { groupTombstone } from '../group-record.ts';

/** A group without members, which only holds offsets. */
export class SimpleGroup implements Group {
  readonly type = 'classic';
  readonly groupId: string;

  constructor(groupId: string) {
    this.groupId = groupId;
  }

  stateAt(): string {
    return 'Empty';
  }

  protocolTypeAt(): string {
    return '';
  }

  isEmpty(): boolean {
    return true;
  }

  isMember(): boolean {
    return false;
  }

  validateOffsetCommit(): null {
    return null;
  }

  validateOffsetFetch(): void {}

  validateOffsetDelete(): void {}

  validateDelete(): void {}

  isSubscribedTo(): boolean {
    return false;
  }

  offsetExpiration(): OffsetExpiration {
    return { baseTimestamp: ({ commitTimestamp }) => commitTimestamp };
  }

  tombstones(): GroupRecord[] {
    return [groupTombstone('GroupMetadata', { group: this.groupId })];
  }
}

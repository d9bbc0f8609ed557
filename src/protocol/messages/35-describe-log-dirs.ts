import { api, array, boolean, int16, int32, int64, string } from '../schema.ts';

/** DescribeLogDirs. KIP-113; v4 tells the size of the file system (KIP-827). */
export const describeLogDirs = api({
  key: 35,
  name: 'DescribeLogDirs',
  versions: '1-5',
  flexible: '2+',
  listeners: ['broker'],
  request: { topics: array({ topic: string({ mapKey: true }), partitions: array(int32()) }, { nullable: '0+' }) },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ versions: '3+', ignorable: true, default: 0 }),
    results: array({
      errorCode: int16({ default: 0 }),
      logDir: string(),
      topics: array({
        name: string(),
        partitions: array({ partitionIndex: int32(), partitionSize: int64(), offsetLag: int64(), isFutureKey: boolean() }),
      }),
      totalBytes: int64({ versions: '4+', ignorable: true, default: -1 }),
      usableBytes: int64({ versions: '4+', ignorable: true, default: -1 }),
      isCordoned: boolean({ versions: '5+', ignorable: true, default: false }),
    }),
  },
});

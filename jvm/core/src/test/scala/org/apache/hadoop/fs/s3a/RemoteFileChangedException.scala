package org.apache.hadoop.fs.s3a

import org.apache.hadoop.fs.PathIOException

/** S3A's, by its name, for a store of tests that does what S3A does. */
class RemoteFileChangedException(path: String, operation: String, message: String)
    extends PathIOException(path, s"$operation: $message")

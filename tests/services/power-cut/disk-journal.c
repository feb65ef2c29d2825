/*
 * Preloaded into a process (LD_PRELOAD), it keeps a journal of all that the process does to the files of one folder, under one lock, so the
 * journal tells the order in which things came to the disk, and what had been synced when: a change is noted before it is made, a sync once
 * it is done. A process that is killed leaves at most its last change noted and not made. What could change a file unnoticed, or fails half
 * way, ends the process. DISK_FOLDER is the folder, flat, DISK_JOURNAL the journal, which lies elsewhere.
 *
 * A note: kind (1 byte), length of the name (1), length of the data (4), offset (8), little-endian; then the name within
 * the folder, and the data. The folder itself has an empty name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static size_t folder_length;
static int journal = -1;

#define NEXT(name) \
  static __typeof__(name) *next; \
  if (next == NULL) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *of = getenv("DISK_FOLDER"), *into = getenv("DISK_JOURNAL");
  if (of == NULL || into == NULL || realpath(of, folder) == NULL) return;
  folder_length = strlen(folder);
  journal = open(into, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void give_up(const char *why) {
  fprintf(stderr, "disk journal: %s\n", why);
  abort();
}

/* The name of a file within the folder; NULL when it lies elsewhere. */
static const char *within(const char *path) {
  if (journal < 0 || strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == '\0') return path + folder_length;
  return path[folder_length] == '/' ? path + folder_length + 1 : NULL;
}

static const char *name_of(int file, char *path) {
  if (journal < 0 || file == journal) return NULL;
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return NULL;
  path[length] = '\0';
  return within(path);
}

/* Names given by callers may lead through "." or links; the folder of a file exists. */
static const char *name_at(const char *given, char *path) {
  if (journal < 0) return NULL;
  char whole[PATH_MAX], parent[PATH_MAX];
  snprintf(whole, sizeof whole, "%s", given);
  char *slash = strrchr(whole, '/');
  const char *base = slash == NULL ? whole : slash + 1;
  if (slash != NULL) *slash = '\0';
  if (realpath(slash == NULL ? "." : whole, parent) == NULL) return NULL;
  if (strlen(parent) + strlen(base) + 2 > PATH_MAX) return NULL;
  strcpy(path, parent);
  strcat(path, "/");
  strcat(path, base);
  return within(path);
}

static void note(char kind, const char *name, uint64_t offset, const void *data, uint32_t length) {
  unsigned char head[14] = {(unsigned char)kind, (unsigned char)strlen(name)};
  memcpy(head + 2, &length, 4);
  memcpy(head + 6, &offset, 8);
  struct iovec parts[3] = {{head, sizeof head}, {(void *)name, strlen(name)}, {(void *)data, length}};
  ssize_t whole = (ssize_t)(sizeof head + strlen(name) + length);
  NEXT(writev);
  if (next(journal, parts, 3) != whole) give_up("the journal cannot be written");
}

#define WRITES_AT(call, offset_type) \
  ssize_t call(int file, const void *data, size_t length, offset_type offset) { \
    NEXT(call); \
    char path[PATH_MAX]; \
    const char *name = name_of(file, path); \
    if (name == NULL) return next(file, data, length, offset); \
    pthread_mutex_lock(&lock); \
    note('w', name, (uint64_t)offset, data, (uint32_t)length); \
    ssize_t done = next(file, data, length, offset); \
    if (done != (ssize_t)length) give_up("a write came short"); \
    pthread_mutex_unlock(&lock); \
    return done; \
  }
WRITES_AT(pwrite, off_t)
WRITES_AT(pwrite64, off64_t)

ssize_t write(int file, const void *data, size_t length) {
  NEXT(write);
  char path[PATH_MAX];
  const char *name = name_of(file, path);
  if (name == NULL) return next(file, data, length);
  pthread_mutex_lock(&lock);
  int is_appended = (fcntl(file, F_GETFL) & O_APPEND) != 0;
  note('w', name, (uint64_t)lseek(file, 0, is_appended ? SEEK_END : SEEK_CUR), data, (uint32_t)length);
  ssize_t done = next(file, data, length);
  if (done != (ssize_t)length) give_up("a write came short");
  pthread_mutex_unlock(&lock);
  return done;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  NEXT(writev);
  char path[PATH_MAX];
  if (name_of(file, path) != NULL) give_up("writev is not kept");
  return next(file, parts, count);
}

#define WRITES_PARTS_AT(call, offset_type) \
  ssize_t call(int file, const struct iovec *parts, int count, offset_type offset) { \
    NEXT(call); \
    char path[PATH_MAX]; \
    if (name_of(file, path) != NULL) give_up("pwritev is not kept"); \
    return next(file, parts, count, offset); \
  }
WRITES_PARTS_AT(pwritev, off_t)
WRITES_PARTS_AT(pwritev64, off64_t)

#define TRUNCATES(call, offset_type) \
  int call(int file, offset_type length) { \
    NEXT(call); \
    char path[PATH_MAX]; \
    const char *name = name_of(file, path); \
    if (name == NULL) return next(file, length); \
    pthread_mutex_lock(&lock); \
    note('t', name, (uint64_t)length, NULL, 0); \
    int failed = next(file, length); \
    if (failed) give_up("a file could not be cut"); \
    pthread_mutex_unlock(&lock); \
    return failed; \
  }
TRUNCATES(ftruncate, off_t)
TRUNCATES(ftruncate64, off64_t)

#define SYNCS(call) \
  int call(int file) { \
    NEXT(call); \
    char path[PATH_MAX]; \
    const char *name = name_of(file, path); \
    if (name == NULL) return next(file); \
    pthread_mutex_lock(&lock); \
    int failed = next(file); \
    if (!failed) note('s', name, 0, NULL, 0); \
    pthread_mutex_unlock(&lock); \
    return failed; \
  }
SYNCS(fsync)
SYNCS(fdatasync)

#define OPENS(call) \
  int call(const char *given, int flags, ...) { \
    NEXT(call); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    char path[PATH_MAX]; \
    const char *name = (flags & (O_CREAT | O_TRUNC)) ? name_at(given, path) : NULL; \
    if (name == NULL) return next(given, flags, mode); \
    pthread_mutex_lock(&lock); \
    int is_new = access(path, F_OK) != 0; \
    int is_cut = !is_new && (flags & O_TRUNC) && !(flags & O_EXCL); \
    if (is_new || is_cut) note(is_new ? 'c' : 't', name, 0, NULL, 0); \
    int file = next(given, flags, mode); \
    if (file < 0 && (is_new || is_cut)) give_up("a file could not be made"); \
    pthread_mutex_unlock(&lock); \
    return file; \
  }
OPENS(open)
OPENS(open64)

int unlink(const char *given) {
  NEXT(unlink);
  char path[PATH_MAX];
  const char *name = name_at(given, path);
  if (name == NULL || access(path, F_OK) != 0) return next(given);
  pthread_mutex_lock(&lock);
  note('u', name, 0, NULL, 0);
  int failed = next(given);
  if (failed) give_up("a file could not be removed");
  pthread_mutex_unlock(&lock);
  return failed;
}

int link(const char *from, const char *to) {
  NEXT(link);
  char path_from[PATH_MAX], path_to[PATH_MAX];
  const char *name_from = name_at(from, path_from), *name_to = name_at(to, path_to);
  if (name_from == NULL && name_to == NULL) return next(from, to);
  if (name_from == NULL || name_to == NULL) give_up("a file comes or goes by link");
  if (access(path_to, F_OK) == 0) return next(from, to);
  pthread_mutex_lock(&lock);
  note('l', name_from, 0, name_to, (uint32_t)strlen(name_to));
  int failed = next(from, to);
  if (failed) give_up("a file could not be linked");
  pthread_mutex_unlock(&lock);
  return failed;
}

int rename(const char *from, const char *to) {
  NEXT(rename);
  char path_from[PATH_MAX], path_to[PATH_MAX];
  const char *name_from = name_at(from, path_from), *name_to = name_at(to, path_to);
  if (name_from == NULL && name_to == NULL) return next(from, to);
  if (name_from == NULL || name_to == NULL) give_up("a file comes or goes by rename");
  pthread_mutex_lock(&lock);
  note('r', name_from, 0, name_to, (uint32_t)strlen(name_to));
  int failed = next(from, to);
  if (failed) give_up("a file could not be renamed");
  pthread_mutex_unlock(&lock);
  return failed;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests video sources: sizes of frames, packets of a frame, the regulator, and
 * files with frame sizes or traces.
 */
#include <unistd.h>

#include "source_rig.h"
#include "hcasim/video.h"

#define FRAME_CYCLES 416667 /* number of cycles of 80 ns in 1/30 s, rounded */

static char path[] = "/tmp/test_source_video.XXXXXX";

static void write_file(const char *text, size_t length)
{
    FILE *file;

    /* Delete the file first: some file systems wait when a file is
     * overwritten. */
    (void)unlink(path);
    file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CHECK_U64(fwrite(text, 1, length, file), length);
    CHECK_U64(fclose(file), 0);
}

static gms_source_config_t file_config(unsigned kind, const char *text)
{
    gms_source_config_t config = source_config(kind, 0);

    write_file(text, strlen(text));
    config.file = path;
    return config;
}

/* ---- statistics ---- */

static void test_pattern(void)
{
    static const char types[] = "IPB";
    char pattern[25] = "";
    unsigned i;

    for (i = 0; i < 24; ++i) {
        pattern[i] = types[gms_video_type(i)];
    }
    CU_ASSERT_STRING_EQUAL(pattern, "IBBPBBPBBPBBIBBPBBPBBPBB");
}

/** At 9 Mb/s, a frame has 37,500 bytes on average, and a pattern of 12 frames
 * has 450,000 bytes. The mean sizes of I, P and B frames are in the ratio 160 :
 * 60 : 30. A pattern therefore consists of 160 + 3 x 60 + 8 x 30 = 580 parts of
 * 775.862 bytes each. */
static void test_means(void)
{
    unsigned i;

    CHECK_NEAR(gms_video_bits_s(3), 9e6, 1e-12);
    CHECK_NEAR(gms_video_mean_bytes(3, GMS_VIDEO_I), 160 * 775.8620690, 1e-8);
    CHECK_NEAR(gms_video_mean_bytes(3, GMS_VIDEO_P), 60 * 775.8620690, 1e-8);
    CHECK_NEAR(gms_video_mean_bytes(3, GMS_VIDEO_B), 30 * 775.8620690, 1e-8);
    CHECK_U64(gms_video_frame_cycles(80000), FRAME_CYCLES);
    CHECK_U64(gms_video_frame_cycles(3760), 8865248);
    for (i = 1; i < GMS_VIDEO_STREAMS; ++i) {
        CU_ASSERT_TRUE(gms_video_bits_s(i) > gms_video_bits_s(i - 1));
    }
}

/** Checks the mean and the variation of frame sizes. For lognormal sizes, also
 * checks the mean and the deviation of the logarithm, and that its skew is
 * 0. */
static void check_moments(unsigned type, unsigned frame, double variation)
{
    double mean = 0, square = 0, log_mean = 0, log_square = 0, log_cube = 0;
    double expected = gms_video_mean_bytes(6, (enum gms_video_type)type);
    double deviation = sqrt(log(1 + variation * variation));
    unsigned count = 100000, i;
    gms_random_t random;

    gms_random_init(&random, 11, type);
    for (i = 0; i < count; ++i) {
        double bytes = gms_video_draw_bytes(6, frame, &random);
        double off =
            (log(bytes / expected) + deviation * deviation / 2) / deviation;

        mean += bytes / count;
        square += bytes * bytes / count;
        log_mean += off / count;
        log_square += off * off / count;
        log_cube += off * off * off / count;
    }
    CHECK_NEAR(mean, expected, 0.006);
    CHECK_NEAR(sqrt(square - mean * mean) / mean, variation, 0.03);
    CU_ASSERT_TRUE(fabs(log_mean) < 0.013);
    CHECK_NEAR(log_square, 1, 0.02);
    CU_ASSERT_TRUE(fabs(log_cube) < 0.05);
}

static void test_lognormal(void)
{
    check_moments(GMS_VIDEO_I, 0, 0.3);
    check_moments(GMS_VIDEO_P, 3, 0.4);
    check_moments(GMS_VIDEO_B, 1, 0.4);
}

/** One in a hundred I frames is larger than the peak. */
static void test_peak(void)
{
    gms_random_t random;
    unsigned larger = 0, i;

    gms_random_init(&random, 5, 0);
    for (i = 0; i < 100000; ++i) {
        larger +=
            gms_video_draw_bytes(2, 12, &random) > gms_video_peak_bytes(2);
    }
    CHECK_NEAR(larger, 1000, 0.13);
}

/** Checks the rate at which a statistical source sends over 1000 patterns, and
 *  the rate that it requests. */
static void test_rate(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_VIDEO, 0);
    gms_source_t *source;
    gms_arrival_t arrival;
    double flits = 0;
    unsigned video;

    for (video = 0; video < GMS_VIDEO_STREAMS; ++video) {
        config.video = video;
        source = make_source(&config);
        flits = 0;
        do {
            (void)gms_source_next(source, &arrival);
            flits += arrival.flits;
        } while (arrival.frame < 12000 || arrival.frame_rest > 0);
        CHECK_NEAR(gms_source_mean_rate(source),
                   gms_video_bits_s(video) * 80e-9 / 128, 1e-5);
        CHECK_NEAR(flits / 12000 / FRAME_CYCLES, gms_source_mean_rate(source),
                   0.015);
        CU_ASSERT_TRUE(gms_source_peak_rate(source) >
                       4 * gms_source_mean_rate(source));
        gms_source_destroy(source);
    }
}

/* ---- packets ---- */

/** A frame of 1300 bytes is sent in packets of 40, 40 and 2 flits. A frame of
 * 16 bytes is sent in one packet of 1 flit. A frame of 1280 bytes is sent in
 * two full packets. After that, the sequence of frames repeats. */
static void check_packets(unsigned regulator, unsigned first_frame)
{
    static const struct {
        unsigned flits, rest, numerator, packets;
    } expected[] = {{40, 2, 0, 3}, {40, 1, 1, 3}, {2, 0, 2, 3},
                    {1, 0, 0, 1},  {40, 1, 0, 2}, {40, 0, 1, 2}};
    gms_source_config_t config =
        file_config(GMS_SOURCE_VIDEO, "1300 # I\n\n  16\n\t1280\r\n#end");
    static const unsigned packet_of[] = {0, 3, 4}; /* number of the first packet
                                                    * of a frame */
    gms_source_t *source;
    gms_arrival_t arrival;
    unsigned i;

    config.regulator = regulator;
    config.first_frame = first_frame;
    config.start_cycle = 500;
    config.target.pattern = GMS_TARGET_FIXED;
    config.target.node = 9;
    source = make_source(&config);
    CHECK_NEAR(gms_source_mean_rate(source), 163.0 / 3 / FRAME_CYCLES, 1e-12);
    CHECK_NEAR(gms_source_peak_rate(source), 82.0 / FRAME_CYCLES, 1e-12);
    for (i = packet_of[first_frame % 3]; i < 24; ++i) {
        static const unsigned frame_of[] = {0, 0, 0, 1, 2, 2};
        unsigned frame = i / 6 * 3 + frame_of[i % 6] - first_frame % 3;
        uint64_t made = 500 + (uint64_t)frame * FRAME_CYCLES;
        uint64_t parts = expected[i % 6].numerator + (regulator == 2);
        uint64_t shift = FRAME_CYCLES * parts / expected[i % 6].packets;

        CHECK_U64(gms_source_next(source, &arrival), 1);
        CHECK_U64(arrival.flits, expected[i % 6].flits);
        CHECK_U64(arrival.frame, frame + 1);
        CHECK_U64(arrival.frame_rest, expected[i % 6].rest);
        CHECK_U64(arrival.frame_cycle, made);
        CHECK_U64(arrival.cycle, (regulator > 0) ? made + shift : made);
        CHECK_U64(arrival.target, 9);
    }
    gms_source_destroy(source);
}

static void test_packets(void)
{
    check_packets(0, 0);
    check_packets(1, 0);
    check_packets(1, 1);
    check_packets(2, 2);
    check_packets(0, 3002);
}

/** A source whose first frame is the frame before a P frame sends B, P and B
 * frames. */
static void test_first_frame(void)
{
    static const unsigned types[] = {GMS_VIDEO_B, GMS_VIDEO_P, GMS_VIDEO_B};
    gms_source_config_t config = source_config(GMS_SOURCE_VIDEO, 0);
    double flits[4] = {0};
    gms_arrival_t arrival;
    unsigned i;

    config.first_frame = 24 + 2;
    for (config.stream = 0; config.stream < 1000; ++config.stream) {
        gms_source_t *source = make_source(&config);

        do {
            (void)gms_source_next(source, &arrival);
            flits[arrival.frame - 1] += arrival.flits / 1000.0;
        } while (arrival.frame < 4);
        gms_source_destroy(source);
    }
    for (i = 0; i < 3; ++i) {
        CHECK_NEAR(flits[i] * 16,
                   gms_video_mean_bytes(0, (enum gms_video_type)types[i]),
                   0.06);
    }
}

/** Sends the same frames with and without the regulator. In both cases, a frame
 * has the same number of flits, which is computed from its bytes and rounded
 * up. With the regulator, the intervals between the packets of a frame differ
 * by at most one cycle. */
static void test_regulator(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_VIDEO, 0);
    gms_source_t *burst, *even;
    gms_arrival_t a, b;
    gms_random_t random;
    uint64_t flits = 0, before = 0, least = UINT64_MAX, most = 0;
    uint64_t distance, packets;

    config.video = 4;
    config.target.pattern = GMS_TARGET_FIXED;
    burst = make_source(&config);
    config.regulator = GMS_REGULATOR_EARLY;
    even = make_source(&config);
    gms_random_init(&random, config.seed, config.stream);
    do {
        (void)gms_source_next(burst, &a);
        (void)gms_source_next(even, &b);
        CHECK_U64(a.flits, b.flits);
        CHECK_U64(a.frame, b.frame);
        CHECK_U64(a.cycle, a.frame_cycle);
        CHECK_U64(a.frame_cycle, b.frame_cycle);
        CHECK_U64(b.frame_cycle, (uint64_t)(b.frame - 1) * FRAME_CYCLES);
        CU_ASSERT_TRUE(b.cycle < b.frame_cycle + FRAME_CYCLES);
        flits += a.flits;
        if (b.cycle > b.frame_cycle) {
            distance = b.cycle - before;
            least = (distance < least) ? distance : least;
            most = (distance > most) ? distance : most;
        }
        before = b.cycle;
        if (a.frame_rest == 0) {
            uint32_t bytes = gms_video_draw_bytes(4, a.frame - 1, &random);

            CHECK_U64(flits, (bytes + 15) / 16);
            packets = (flits + 39) / 40;
            CHECK_U64(b.cycle - b.frame_cycle,
                      (packets - 1) * FRAME_CYCLES / packets);
            CU_ASSERT_TRUE(most <= least + 1);
            flits = 0;
            least = UINT64_MAX;
            most = 0;
        }
    } while (a.frame < 100);
    gms_source_destroy(burst);
    gms_source_destroy(even);
}

/* ---- files ---- */

static void check_wrong(unsigned kind, const char *text, const char *expected)
{
    gms_source_config_t config = file_config(kind, text);

    check_refused(&config, GMS_ERR_CONFIG, expected);
}

static void test_wrong_frames(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_VIDEO, 0);

    config.file = "/nowhere/frames";
    check_refused(&config, GMS_ERR_SYSTEM, "/nowhere/frames: No such file");
    config.file = "/tmp";
    check_refused(&config, GMS_ERR_SYSTEM, "/tmp: Is a directory");
    check_wrong(GMS_SOURCE_VIDEO, "", "no line with a number");
    check_wrong(GMS_SOURCE_VIDEO, "# nothing\n\n", "no line with a number");
    check_wrong(GMS_SOURCE_VIDEO, "100\n0\n",
                ":2: '0' is not a valid frame size");
    check_wrong(GMS_SOURCE_VIDEO, "-1\n", ":1: '-1' is not a valid frame size");
    check_wrong(GMS_SOURCE_VIDEO, "1.5\n", "'1.5'");
    check_wrong(GMS_SOURCE_VIDEO, "1\n\n#\n99999999999999999999999\n",
                ":4: '99999999999999999999999'");
    check_wrong(GMS_SOURCE_VIDEO, "67108865", "allowed: 1..67108864");
    check_wrong(GMS_SOURCE_VIDEO, "1 2\n", ":1: '2' is unexpected");
    write_file("1\n2\0003\n", 6);
    config.file = path;
    check_refused(&config, GMS_ERR_CONFIG, ":2: the line contains a zero byte");
}

static void test_trace(void)
{
    gms_source_config_t config = file_config(
        GMS_SOURCE_TRACE, "# cycle target flits\n0, 3, 40\n7 15 1\n7,2,65535");
    gms_source_t *source;
    gms_arrival_t arrival;

    config.start_cycle = 100;
    source = make_source(&config);
    CHECK_NEAR(gms_source_mean_rate(source), 65576.0 / 8, 1e-12);
    CHECK_U64(gms_source_next(source, &arrival), 1);
    CHECK_U64(arrival.cycle, 100);
    CHECK_U64(arrival.target, 3);
    CHECK_U64(arrival.flits, 40);
    CHECK_U64(arrival.frame, 0);
    CHECK_U64(gms_source_next(source, &arrival), 1);
    CHECK_U64(arrival.cycle, 107);
    CHECK_U64(arrival.target, 15);
    CHECK_U64(gms_source_next(source, &arrival), 1);
    CHECK_U64(arrival.cycle, 107);
    CHECK_U64(arrival.flits, 65535);
    CHECK_U64(gms_source_next(source, &arrival), 0);
    CHECK_U64(gms_source_next(source, &arrival), 0);
    gms_source_destroy(source);
}

static void test_wrong_traces(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_TRACE, 0);

    check_refused(&config, GMS_ERR_CONFIG, "requires a file");
    check_wrong(GMS_SOURCE_TRACE, "1 2\n", "number of flits is missing");
    check_wrong(GMS_SOURCE_TRACE, "1 16 3\n",
                "'16' is not a valid target node");
    check_wrong(GMS_SOURCE_TRACE, "1 2 0\n",
                "'0' is not a valid number of flits");
    check_wrong(GMS_SOURCE_TRACE, "1 2 65536\n", "1..65535");
    check_wrong(GMS_SOURCE_TRACE, "1 2 3 4\n", "'4' is unexpected");
    check_wrong(GMS_SOURCE_TRACE, "5 2 3\n4 2 3\n",
                ":2: cycle 4 follows cycle 5");
    check_wrong(GMS_SOURCE_TRACE, "x 2 3\n", "'x' is not a valid cycle");
}

/** Reads files of random characters. The reader must accept each file, or
 * refuse it with a message that contains the name of the file. */
static void test_fuzz(void)
{
    static const char letters[] = "0123456789  ,,\n\n\n#-.x\t\r\377";
    unsigned i, j, taken = 0;
    gms_random_t random;

    gms_random_init(&random, 1, 2);
    for (i = 0; i < 1000; ++i) {
        unsigned kind = (i & 1) ? GMS_SOURCE_TRACE : GMS_SOURCE_VIDEO;
        gms_source_config_t config = source_config(kind, 0);
        size_t length = gms_random_below(&random, 24);
        gms_source_t *source = NULL;
        gms_status_t status;
        gms_arrival_t arrival;
        char text[24];

        for (j = 0; j < length; ++j) {
            text[j] = letters[gms_random_below(
                &random, (i % 3 == 0) ? 17 : sizeof(letters))];
        }
        write_file(text, length);
        config.file = path;
        status = gms_source_create(&config, &source, error);
        if (status == GMS_OK) {
            ++taken;
            (void)gms_source_next(source, &arrival);
        } else {
            CHECK_U64(status, GMS_ERR_CONFIG);
            CU_ASSERT_TRUE(strncmp(error, path, strlen(path)) == 0);
        }
        gms_source_destroy(source);
    }
    CU_ASSERT_TRUE(taken > 20 && taken < 800);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"pattern", test_pattern},
        {"means", test_means},
        {"lognormal", test_lognormal},
        {"peak", test_peak},
        {"rate", test_rate},
        {"packets", test_packets},
        {"a source that starts at a given frame", test_first_frame},
        {"regulator", test_regulator},
        {"invalid files of frames", test_wrong_frames},
        {"trace", test_trace},
        {"invalid traces", test_wrong_traces},
        {"fuzz", test_fuzz},
        CU_TEST_INFO_NULL,
    };
    int status, file = mkstemp(path);

    if (file < 0) {
        return EXIT_FAILURE;
    }
    (void)close(file);
    status = UNIT_RUN({.pName = "source: video", .pTests = tests});
    (void)unlink(path);
    return status;
}

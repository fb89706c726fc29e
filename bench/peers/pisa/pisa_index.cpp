// pisa_index.cpp: PISA's index of the postings that `riposte export pisa` wrote, for pisa_query.
// Usage: pisa_index EXPORT OUT; EXPORT is the folder, OUT a folder that is made.
// Blocks are PISA's block_simdbp. Block bounds (64 postings) are of BM25 with k1 1.2 and b 0.75.

#include <pisa/binary_collection.hpp>
#include <pisa/compress.hpp>
#include <pisa/io.hpp>
#include <pisa/payload_vector.hpp>
#include <pisa/scorer/scorer.hpp>
#include <pisa/type_safe.hpp>
#include <pisa/wand_data.hpp>

#include <spdlog/spdlog.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

static void index(const std::string &from, const std::string &to)
{
    ScorerParams bm25("bm25");
    bm25.bm25_k1 = 1.2F;
    bm25.bm25_b = 0.75F;
    std::filesystem::create_directories(to);
    spdlog::set_level(spdlog::level::err);
    pisa::compress(from + "/inv", {}, "block_simdbp", to + "/postings", bm25, {}, false, false);
    pisa::create_wand_data(to + "/bounds", from + "/inv", pisa::FixedBlock(64), bm25, false, false,
                           {}, {});
    std::ifstream terms(from + "/inv.terms");
    std::ofstream lexicon(to + "/lexicon", std::ios::binary);
    pisa::encode_payload_vector(std::istream_iterator<pisa::io::Line>(terms),
                                std::istream_iterator<pisa::io::Line>())
        .to_stream(lexicon);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return std::cerr << "usage: pisa_index EXPORT OUT\n", 2;
    try {
        index(argv[1], argv[2]);
    } catch (const std::exception &e) {
        return std::cerr << "pisa_index: " << e.what() << "\n", 1;
    }
    return 0;
}

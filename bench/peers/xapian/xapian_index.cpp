// xapian_index.cpp: Xapian as a peer: token file in, compacted glass database out.
// Usage: xapian_index TOKENS DIR [--positions].
// Kindest settings: no sync, one flush, no lists of terms by document, then compacted to one level;
// positions only where they are asked for; no text and no external id. A token over 240 bytes, more than
// Xapian takes, is cut.

#include <unistd.h>
#include <xapian.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

static const size_t kTermMax = 240;

static Xapian::Document document(const std::string &line, bool has_positions)
{
    Xapian::Document doc;
    Xapian::termpos position = 0;
    size_t at = line.find('\t') + 1;
    while (at < line.size()) {
        size_t end = line.find(' ', at);
        end = end == std::string::npos ? line.size() : end;
        std::string term = line.substr(at, std::min(end - at, kTermMax));
        if (has_positions)
            doc.add_posting(term, position++);
        else
            doc.add_term(term);
        at = end + 1;
    }
    return doc;
}

static void fill(const char *tokens, const std::string &dir, bool has_positions)
{
    std::ifstream in(tokens);
    if (!in)
        throw std::string(tokens) + ": cannot be read";
    Xapian::WritableDatabase db(dir, Xapian::DB_CREATE_OR_OVERWRITE | Xapian::DB_NO_SYNC |
                                         Xapian::DB_DANGEROUS | Xapian::DB_NO_TERMLIST |
                                         Xapian::DB_BACKEND_GLASS);
    std::string line;
    while (std::getline(in, line))
        db.add_document(document(line, has_positions));
    db.commit();
}

int main(int argc, char **argv)
{
    bool has_positions = argc == 4 && strcmp(argv[3], "--positions") == 0;
    if (argc < 3 || argc > 4 || (argc == 4 && !has_positions))
        return std::cerr << "usage: xapian_index TOKENS DIR [--positions]\n", 2;
    setenv("XAPIAN_FLUSH_THRESHOLD", "1000000", 0);
    std::string loose = std::string(argv[2]) + ".loose";
    try {
        fill(argv[1], loose, has_positions);
        Xapian::Database db(loose);
        db.compact(argv[2], Xapian::DBCOMPACT_NO_RENUMBER);
        std::cout << "xapian " << Xapian::version_string() << " docs=" << db.get_doccount() << "\n";
    } catch (const Xapian::Error &e) {
        return std::cerr << "xapian_index: " << e.get_description() << "\n", 1;
    } catch (const std::string &why) {
        return std::cerr << "xapian_index: " << why << "\n", 1;
    }
    return 0;
}

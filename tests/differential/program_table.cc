#include "tests/differential/program_table.h"

#include <fstream>
#include <stdexcept>

namespace softlbr::differential {
namespace {

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

CommandLine ParseRun(const std::string& text) {
  CommandLine run;
  run.command = SplitWords(text);
  if (run.command.size() > 2 && run.command[0] == "<") {
    run.input = run.command[1];
    run.command.erase(run.command.begin(), run.command.begin() + 2);
  }
  return run;
}

// False: unknown key or invalid value.
bool Apply(const std::string& key, const std::string& value, Program* program) {
  if (value.empty()) return false;
  if (key == "packages") {
    program->packages = value;
  } else if (key == "needs") {
    program->needs = SplitWords(value);
  } else if (key == "set") {
    program->environment.push_back(value);
  } else if (key == "make") {
    program->make.push_back(value);
  } else if (key == "run") {
    program->runs.push_back(ParseRun(value));
  } else if (key == "ignore") {
    program->ignored_lines = value;
  } else if (key == "ends") {
    if (value != "abruptly") return false;
    program->ends_abruptly = true;
  } else if (key == "unsteady") {
    for (const std::string& what : SplitWords(value)) {
      if (what != "stderr" && what != "files") return false;
      (what == "stderr" ? program->is_stderr_unsteady : program->are_files_unsteady) = true;
    }
  } else if (key == "exit") {
    if (value.find_first_not_of("0123456789 ") != std::string::npos) return false;
    for (const std::string& code : SplitWords(value)) program->exit_codes.push_back(std::stoi(code));
  } else if (key == "samples" || key == "threads") {
    if (value.find_first_not_of("0123456789") != std::string::npos) return false;
    (key == "samples" ? program->least_samples : program->least_threads) = std::stoull(value);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> SplitWords(const std::string& text) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0' ? c == quote : c == '\'' || c == '"') {
      quote = quote != '\0' ? '\0' : c;
      if (!is_in_word) words.emplace_back();
      is_in_word = true;
    } else if (quote == '\0' && (c == ' ' || c == '\t')) {
      is_in_word = false;
    } else {
      if (!is_in_word) words.emplace_back();
      is_in_word = true;
      words.back() += c;
    }
  }
  if (quote != '\0') throw std::runtime_error("a quote is not closed: " + text);
  return words;
}

std::vector<Program> ReadProgramTable(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error(path + " cannot be read");
  std::vector<Program> programs;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    line = Trimmed(line);
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(':');
    const std::string key = line.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : Trimmed(line.substr(colon + 1));
    bool is_understood = !value.empty();
    if (key == "program") {
      for (const Program& program : programs) is_understood = is_understood && program.name != value;
      programs.emplace_back().name = value;
    } else {
      is_understood = is_understood && !programs.empty() && Apply(key, value, &programs.back());
    }
    if (!is_understood) throw std::runtime_error(path + ":" + std::to_string(number) + ": not understood: " + line);
  }
  for (const Program& program : programs) {
    if (program.runs.empty() || program.packages.empty())
      throw std::runtime_error(program.name + ": no run, or no packages");
  }
  return programs;
}

}  // namespace softlbr::differential

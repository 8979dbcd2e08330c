class Tally {
  public:
    void add(const long *value, int n)
    {
        for (int i = 0; i < n; i++)
            sum_ += value[i];
    }

  private:
    long sum_ = 0;
};

void fill(Tally &t, const long *value, int n) { t.add(value, n); }

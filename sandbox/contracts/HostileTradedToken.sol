// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A token that breaks one habit of tokens, for tests of trading.
/// @notice Everything else of it is plain EIP-20. Anyone may mint.
contract HostileTradedToken {
    enum Trick {
        None,
        /// Keeps a twentieth of whatever moves, and logs what really arrived.
        KeepsAPart,
        /// Whoever is not its maker may buy and never sell.
        CannotBeSold,
        /// Moves nothing but its maker's, and answers false.
        SaysFalse,
        /// Says that everybody but the pool is rich.
        LiesAboutBalances,
        /// Answers nothing at all where a boolean belongs.
        SaysNothing,
        /// Takes an allowance only where there is none yet.
        ApprovesFromZeroOnly,
        /// Burns all gas when it is asked for a balance of anybody but its maker and the pool.
        BurnsGas,
        /// Burns all gas when it is asked for its name, and refuses to say its symbol.
        BurnsGasOnName,
        /// Answers name and symbol in 32 bytes.
        NamesInWords
    }

    Trick public immutable trick;
    address public immutable maker;
    /// Who got the first of the maker's tokens.
    address public pool;
    uint256 public totalSupply;
    mapping(address owner => uint256) private _balances;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(Trick trick_) {
        trick = trick_;
        maker = msg.sender;
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function name() external view returns (string memory) {
        if (trick == Trick.BurnsGasOnName) _burnGas();
        if (trick == Trick.NamesInWords) _answer("Hostile");
        return "Hostile";
    }

    function symbol() external view returns (string memory) {
        if (trick == Trick.BurnsGasOnName) revert("no symbol");
        if (trick == Trick.NamesInWords) _answer("HOST");
        return "HOST";
    }

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        _balances[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function balanceOf(address owner) external view returns (uint256) {
        bool isKnown = owner == maker || owner == pool || pool == address(0);
        if (trick == Trick.LiesAboutBalances && !isKnown) return type(uint96).max;
        if (trick == Trick.BurnsGas && !isKnown) _burnGas();
        return _balances[owner];
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        if (trick == Trick.ApprovesFromZeroOnly) {
            require(amount == 0 || allowance[msg.sender][spender] == 0, "approve from zero");
        }
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return _answered();
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        require(allowance[from][msg.sender] >= amount, "allowance");
        allowance[from][msg.sender] -= amount;
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        if (trick == Trick.CannotBeSold) require(from == maker || from == pool, "cannot be sold");
        if (trick == Trick.SaysFalse && from != maker) return false;
        if (from == maker && pool == address(0)) pool = to;
        uint256 kept = trick == Trick.KeepsAPart ? amount / 20 : 0;
        _balances[from] -= amount;
        _balances[to] += amount - kept;
        _balances[maker] += kept;
        emit Transfer(from, to, amount - kept);
        return _answered();
    }

    function _answered() private view returns (bool) {
        if (trick == Trick.SaysNothing) {
            assembly {
                return(0, 0)
            }
        }
        return true;
    }

    function _answer(bytes32 word) private pure {
        assembly {
            mstore(0, word)
            return(0, 32)
        }
    }

    function _burnGas() private pure {
        assembly {
            invalid()
        }
    }
}
